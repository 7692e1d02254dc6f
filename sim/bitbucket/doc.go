// Package bitbucket is a simulated Bitbucket Cloud. It serves the parts of the REST interface, of git over HTTP, of
// webhooks and of OAuth consumers that a reviewing service uses. It has real bare git repositories, a record of all
// requests and writes, faults on demand, and pages for people. It runs as a library (New, Server.Handler) and as a
// process (Run). It is for demonstrations and tests and must not be reachable from outside the machine.
//
// One address serves everything: the pages and git at its root, the REST interface below /2.0, and the tokens of OAuth
// consumers at /site/oauth2/access_token. The real host has them at bitbucket.org and api.bitbucket.org.
//
// The REST interface follows Atlassian's OpenAPI description of June 2026 (as carried by coderabbitai/bitbucket at
// 1b75b1e8) and the pages of support.atlassian.com about webhooks and tokens. Where no source documents the host's
// behaviour, a [simapi.Doubt] selects one. Requests and answers of the cloud are in the files cloud_*.go, with the
// table of routes in cloud_routes.go; the state, the acts of people and the pages are in the others, so that another
// mode can serve them by other routes.
//
// The state is in memory and in one JSON file of the data folder; git objects are in "<data>/git". The package
// imports no packages of the product, so that it cannot share their mistakes.
package bitbucket
