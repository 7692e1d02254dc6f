// Package github is the adapter to GitHub and GitHub Enterprise Server, as a
// GitHub App: it reads pull requests, publishes reviews and check runs, asks
// the App-level questions (installations, webhook deliveries), and verifies and
// reads webhook payloads.
//
// Every request takes one path, that of package wire: authorise, pass the gate,
// send once within a deadline, read the whole answer, classify it, record a
// block before the permit goes back. Nothing is sent twice and no redirect is
// followed. go-github gives the typed calls; its own rate-limit memory is off.
//
// What must not live here: the publishing protocol, decisions about retries,
// HTTP handlers, SQL, or anything another host could share.
package github
