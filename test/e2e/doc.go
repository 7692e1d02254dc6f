// Package e2e drives the real binary from outside: signed webhooks of a simulated GitHub go in, and
// the tests check the record of that host and the database. Every process is a real one, and a crash
// is a SIGKILL.
//
// docs/reliability/scenarios.md has the table of scenarios and storages.
package e2e
