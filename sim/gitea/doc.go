// Package gitea is a simulated Gitea, or with one switch a simulated Forgejo: the part of the REST interface, of git over
// HTTP, of webhooks and of OpenID Connect that a reviewing service uses, with real bare git repositories underneath, a
// record of everything that was asked and written, faults on demand, and pages for a person. It serves both as a library
// (New, Server.Handler) and as a process of its own (Run). It is for demonstrations and tests and must not be reachable
// from outside of the machine.
//
// It follows the published description of Gitea 1.26 (https://docs.gitea.com/api/1.26/) and what its source code and a
// running server do, the unpleasant parts included: a review is not written at once (a comment that cannot be placed
// answers 500 and leaves a pending review with the comments before it, which the next review takes over), nothing is
// deduplicated, deliveries are never repeated, and a delivery of a webhook without a secret has empty signatures. Where
// sources do not say what the host does, both positions can be had, as a [simapi.Doubt].
//
// State is kept in memory and in one JSON file of the data folder; git objects are in "<data>/git". Nothing here imports
// packages of the product, so that it cannot share their mistakes.
package gitea
