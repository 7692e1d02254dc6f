// Package gitlab is a simulated GitLab: the part of the REST interface (version 4), of git over HTTP and of webhooks that a
// reviewing service uses, with real bare git repositories underneath, a record of everything that was asked and written, and
// faults on demand, and of the pages on which a person looks at projects and merge requests. It serves both as a library (New, Server.Handler) and as a process of its
// own (Run). It is for demonstrations and tests and must not be reachable from outside of the machine.
//
// It follows the documentation of the interface (https://docs.gitlab.com/api/rest/ and the pages below it), the source of
// GitLab where a comment names a file of gitlab-org/gitlab, and the shapes of the client library
// gitlab.com/gitlab-org/api/client-go/v2 v2.64.0. Nothing was compared with a running GitLab. The unpleasant parts are there: a
// draft note becomes a note with another id when it is published, publishing all of them publishes those of a person with the same account,
// a comment on an unchanged line needs the numbers of both sides, a reviewer who must not read is left out without a word, a
// status that is said twice is refused, and webhooks that fail are switched off. Where sources do not say what the host does, or
// versions differ, both positions can be had, as a [simapi.Doubt].
//
// State is kept in memory and in one JSON file of the data folder; git objects are in "<data>/git". Nothing here imports
// packages of the product, so that it cannot share their mistakes.
package gitlab
