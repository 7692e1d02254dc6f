// Package wire holds the host-neutral part of an adapter: one path for every request. It authorises the
// request, passes the gate, sends it once within a deadline, reads the whole answer within a bound, lets
// the adapter judge it, and records a block before the permit goes back.
//
// It never repeats a request and follows no redirects. The adapter gives a [Judge], which decides the
// meaning of an answer. Paths, bodies and headers of one host, and decisions about retries, do not belong
// here.
package wire
