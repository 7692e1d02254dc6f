// Package gitea is the adapter to Gitea and Forgejo, with the token of an account
// that a tenant connects: it reads pull requests, publishes reviews, comments and
// commit statuses, answers what a connection asks (who am I, which repositories,
// which people, our webhook), and verifies and reads webhook payloads.
//
// Every request takes the one path of package wire. The typed calls and shapes
// are those of code.gitea.io/sdk/gitea, with a client for each call: the library
// keeps one context per client, and asks the server for its version unless it is
// told not to. What it does not have is asked for below the same transport.
//
// Facts about the wire are from the source of Gitea 1.26.4 (go-gitea/gitea, by
// file) and its API description (templates/swagger/v1_json.tmpl). What Forgejo
// does differently stands in forgejo.go.
//
// What must not live here: the publishing protocol, decisions about retries,
// HTTP handlers, SQL, or anything another host could share.
package gitea
