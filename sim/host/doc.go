// Package host is what the simulated code hosts have in common: the record of requests and writes, faults on demand, the
// sender of webhooks, git over HTTP, the control interface, the state file, and the start of a simulator as a process.
// What a host says and does is not here: each simulator is a package of its own (sim/github, sim/gitea, sim/gitlab).
//
// Below it are the parts without HTTP: real git repositories (gitrepo), unified diffs (patch), pages for people (page),
// sample pull requests (demo), the types of the control interface (simapi) and its client (simclient). Nothing here
// imports packages of the product, so that it cannot share their mistakes.
package host
