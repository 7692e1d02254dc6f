// Package github is the adapter to GitHub and GitHub Enterprise Server as a GitHub App. It reads pull
// requests, publishes reviews and check runs, reads installations and webhook deliveries of the App, and
// verifies and reads webhook payloads.
//
// Every request takes the one path of package wire. go-github provides the typed calls; its own memory of
// rate limits is off.
//
// The publishing protocol, decisions about retries, HTTP handlers, SQL, and code that other hosts could
// share do not belong here.
package github
