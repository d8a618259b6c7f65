#!/bin/sh
# Usage: certificates.sh DIRECTORY <ROWS   a row is NAME ALTERNATIVE-NAMES SIGNER
# Writes NAME.pem and NAME.key there, and those of two authorities: one that the specs trust,
# and a stranger. SIGNER is one of these, "itself", or "authority-in-the-past".
set -e
cd "$1"

# new_key OPTION...: the key of $name, and what the options ask for
new_key() {
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$name.key" "$@"
}

# sign_by OPTION...: the options say who
sign_by() {
  openssl x509 -req -days 2 -in "$name.csr" -out "$name.pem" -extfile "$name.ext" "$@"
}

# `openssl x509` takes no date before OpenSSL 3.4, and from 3.5 on no end before its start.
# `openssl ca` takes both dates in each version, and wants a database.
sign_in_the_past() {
  : >issued
  printf '%s\n' '[ca]' default_ca=ca database=issued new_certs_dir=. rand_serial=yes \
    default_md=sha256 policy=names '[names]' commonName=supplied >ca
  openssl ca -batch -notext -config ca -cert authority.pem -keyfile authority.key \
    -startdate 20000101000000Z -enddate 20000102000000Z \
    -in "$name.csr" -out "$name.pem" -extfile "$name.ext"
}

for name in authority stranger; do
  new_key -x509 -days 2 -out "$name.pem" -subj "/CN=$name"
done

while read -r name alternative_names signer; do
  new_key -out "$name.csr" -subj /CN=api.example
  printf '%s\n' basicConstraints=CA:FALSE "subjectAltName=$alternative_names" >"$name.ext"
  case $signer in
    itself) sign_by -signkey "$name.key" ;;
    authority-in-the-past) sign_in_the_past ;;
    *) sign_by -CA "$signer.pem" -CAkey "$signer.key" -CAcreateserial ;;
  esac
done
