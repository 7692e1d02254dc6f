// Package gitlab is the adapter to GitLab (gitlab.com and self-managed), with a
// personal, project or group access token that a tenant connects: it reads merge
// requests, publishes comments note by note and commit statuses, answers what a
// connection asks (who am I, which projects, which people, our webhook), and verifies
// and reads webhook payloads.
//
// Every request takes the one path of package wire. The typed calls and shapes are
// those of gitlab.com/gitlab-org/api/client-go/v2, with its retries, its limiter and
// its authentication switched off and a client for each call.
//
// Facts about the wire are from the documentation of the interface
// (https://docs.gitlab.com/api/rest/ and the pages below it), from the source of
// GitLab where a comment names a file of gitlab-org/gitlab, and from the library.
// Nothing was tried against a running GitLab; what rests on no source is said to be
// not confirmed.
//
// A project is named by its full path: [codehost.Repo.Owner] is the path of its group,
// with slashes where that is a subgroup.
//
// What must not live here: the publishing protocol, decisions about retries, HTTP
// handlers, SQL, or anything another host could share.
package gitlab
