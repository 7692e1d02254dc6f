// Package gitea is the adapter to Gitea and Forgejo with the token of a tenant's account. It reads pull
// requests, publishes reviews, comments and commit statuses, answers a connection's requests (account,
// repositories, people, our webhook), and verifies and reads webhook payloads.
//
// Every request takes the one path of package wire. The typed calls and shapes are those of
// code.gitea.io/sdk/gitea, with a client for each call, because the library keeps one context per client.
// Its check of the server's version is off. Requests that the library lacks use the same transport.
//
// Facts about the wire are from the source of Gitea 1.26.4 (go-gitea/gitea, by file) and its API
// description (templates/swagger/v1_json.tmpl). forgejo.go has the differences of Forgejo.
//
// The publishing protocol, decisions about retries, HTTP handlers, SQL, and code that other hosts could
// share do not belong here.
package gitea
