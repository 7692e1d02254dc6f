// Package wire has the part of an adapter that no host's format shows in: one
// path for every request. It authorises the request, passes the gate, sends it
// once within a deadline, reads the whole answer within a bound, lets the
// adapter judge it, and records a block before the permit goes back.
//
// Nothing is sent twice and no redirect is followed. What an answer means is
// the adapter's: it gives a [Judge].
//
// What must not live here: a host's paths, bodies and headers of its own, and
// decisions about retries.
package wire
