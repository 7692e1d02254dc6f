// Package domain defines the pure types of the product: identifiers, findings, runs, publications and the
// state machines between their states.
//
// It imports only the standard library and errs, does no I/O and keeps no state. Rows, wire formats and SQL
// do not belong here.
package domain

import (
	"crypto/rand"
	"encoding/binary"
	"time"
)

// crockford is the alphabet of Crockford's base 32 in lower case. Its texts sort like their values
// (https://www.crockford.com/base32.html).
const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// NewID returns a new identifier "<prefix>_<26 characters>" of 52 bits of microseconds and 76 random bits,
// so that later identifiers sort later. The clock only orders identifiers; no decision depends on it.
func NewID(prefix string) string {
	var b [16]byte
	var random [10]byte
	_, _ = rand.Read(random[:]) // crypto/rand.Read never returns an error (package documentation)
	binary.BigEndian.PutUint64(b[:8], uint64(time.Now().UnixMicro())<<12)
	b[6] |= random[0] & 0x0f
	copy(b[7:], random[1:])
	return prefix + "_" + encode128(b)
}

func encode128(b [16]byte) string {
	hi, lo := binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
	var out [26]byte
	for i := 25; i >= 0; i-- {
		out[i] = crockford[lo&31]
		lo = lo>>5 | hi<<59
		hi >>= 5
	}
	return string(out[:])
}

// Tenant is the scope of a tenant's data. Store methods on a tenant's tables take it first, so that no
// query can omit the scope by accident.
type Tenant struct{ ID string }
