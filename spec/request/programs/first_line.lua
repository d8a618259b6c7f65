local value = (...)("GET /x/{id}", { id = 7 })
return value -- one line, that of the call
