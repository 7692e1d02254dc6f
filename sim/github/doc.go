// Package github is a simulated GitHub: the part of the REST and GraphQL interfaces, of git over HTTP and of webhooks
// that a reviewing GitHub App uses, with real bare git repositories underneath, a record of everything that was asked and
// written, faults on demand, and pages for a person. It serves both as a library (New, Server.Handler) and as a process
// of its own (Run). It is for demonstrations and tests and must not be reachable from outside of the machine.
//
// State is kept in memory and in one JSON file of the data folder; git objects are in "<data>/git". Nothing here imports
// packages of the product, so that it cannot share their mistakes.
package github
