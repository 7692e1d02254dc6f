// Package github is a simulated GitHub. It serves the parts of the REST and GraphQL interfaces, of git over
// HTTP and of webhooks that a reviewing GitHub App uses. It has real bare git repositories, a record of all
// requests and writes, faults on demand, and pages for people. It runs as a library (New, Server.Handler) and
// as a process (Run). It is for demonstrations and tests and must not be reachable from outside the machine.
//
// The state is in memory and in one JSON file of the data folder; git objects are in "<data>/git". The package
// imports no packages of the product, so that it cannot share their mistakes.
package github
