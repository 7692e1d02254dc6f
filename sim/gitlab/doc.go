// Package gitlab is a simulated GitLab. It serves the parts of the REST interface (version 4), of git over
// HTTP, of webhooks and of the pages for projects and merge requests that a reviewing service and its users
// need. It has real bare git repositories, a record of all requests and writes, and faults on demand. It runs
// as a library (New, Server.Handler) and as a process (Run). It is for demonstrations and tests and must not
// be reachable from outside the machine.
//
// It follows the documentation of the interface (https://docs.gitlab.com/api/rest/ and the pages below it),
// the source of GitLab if a comment names a file of gitlab-org/gitlab, and the types of the client library
// gitlab.com/gitlab-org/api/client-go/v2 v2.64.0. It was not compared with a running GitLab. It has the host's
// flaws: a draft note becomes a note with another id when it is published, publishing all drafts also
// publishes those of a person with the same account, a comment on an unchanged line needs the numbers of both
// sides, a reviewer who must not read is silently dropped, a repeated status is refused, and failing webhooks
// are switched off. If no source documents the host's behaviour, or versions differ, a [simapi.Doubt] selects
// one.
//
// The state is in memory and in one JSON file of the data folder; git objects are in "<data>/git". The package
// imports no packages of the product, so that it cannot share their mistakes.
package gitlab
