// Package gitea is a simulated Gitea or, with one switch, a simulated Forgejo. It serves the parts of the REST
// interface, of git over HTTP, of webhooks and of OpenID Connect that a reviewing service uses. It has real
// bare git repositories, a record of all requests and writes, faults on demand, and pages for people. It runs
// as a library (New, Server.Handler) and as a process (Run). It is for demonstrations and tests and must not
// be reachable from outside the machine.
//
// It follows the published description of Gitea 1.26 (https://docs.gitea.com/api/1.26/) and the behaviour of
// its source code and of a running server, with the flaws: a review is not written atomically (a comment that
// cannot be placed answers 500 and leaves a pending review with the comments before it, which the next review
// takes over), nothing is deduplicated, deliveries are never repeated, and a delivery of a webhook without a
// secret has empty signatures. If no source documents the host's behaviour, a [simapi.Doubt] selects one.
//
// The state is in memory and in one JSON file of the data folder; git objects are in "<data>/git". The package
// imports no packages of the product, so that it cannot share their mistakes.
package gitea
