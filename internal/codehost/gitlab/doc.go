// Package gitlab is the adapter to GitLab (gitlab.com and self-managed) with a personal, project or group
// access token of a tenant. It reads merge requests, publishes comments note by note and commit statuses,
// answers a connection's requests (account, projects, people, our webhook), and verifies and reads webhook
// payloads.
//
// Every request takes the one path of package wire. The typed calls and shapes are those of
// gitlab.com/gitlab-org/api/client-go/v2, with its retries, limiter and authentication switched off and a
// client for each call.
//
// Facts about the wire are from the API documentation (https://docs.gitlab.com/api/rest/ and the pages
// below), from the source of GitLab where a comment names a file of gitlab-org/gitlab, and from the
// library. They were not tested against a running GitLab. Comments mark claims without a source as not
// confirmed.
//
// A project is named by its full path: [codehost.Repo.Owner] is the path of its group, with slashes in a
// subgroup.
//
// The publishing protocol, decisions about retries, HTTP handlers, SQL, and code that other hosts could
// share do not belong here.
package gitlab
