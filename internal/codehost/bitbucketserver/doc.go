// Package bitbucketserver is the adapter to Bitbucket Data Center with an HTTP access token of a person, a
// project or a repository of a tenant. It reads pull requests, publishes comments by way of pending ones,
// build statuses and reports of Code Insights, answers a connection's requests (account, repositories,
// people, our webhook), and verifies and reads webhook payloads.
//
// Every request takes the one path of package wire. Facts about the wire are from Atlassian's OpenAPI
// description of 9.2 and its types of webhook payloads, as carried by coderabbitai/bitbucket at 1b75b1e8
// ("the description" below), and from the issues that comments name. They were not tested against a running
// Bitbucket.
//
// A repository is named by the key of its project and its slug. The key of a person's own project is "~" and
// the slug of the person.
//
// The publishing protocol, decisions about retries, HTTP handlers, SQL, and code that other hosts could
// share do not belong here.
package bitbucketserver
