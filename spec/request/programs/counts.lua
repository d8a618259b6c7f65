-- What locations of nginx count, by name. There is one worker.
return {}
