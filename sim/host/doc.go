// Package host is the skeleton of simulated hosts: a server with its state file, the record of requests and
// writes, faults on demand, the sender of webhooks, git over HTTP, the control interface, and the start of a
// simulator as a process. The skeleton is independent of any host; each host is a package of its own
// (sim/github, sim/gitea, sim/gitlab, sim/tracker).
//
// A new host adds its tables, its wire format and its rules, in these parts:
//
//   - A state: a struct that embeds [BaseState], with the accounts, repositories and pull requests of the host.
//   - A server that embeds [Server]. Its constructor calls Open with a [Kind], takes up what is not in the state file (such
//     as the git repositories), and calls Serve with an [API], the control interface and the pages.
//   - A table of routes ([NewRoutes]) with a handler each, and a call that embeds [Call].
//   - API.Begin, which finds route and caller; the host's errors and the headers of every answer; a function that judges a
//     request of git ([GitAccess]).
//   - Events: headers and payloads of webhooks, which the Sender delivers.
//   - What people do on the host's pages, as methods ([CodeHost]), and the control interface: [Server.Control], then
//     Control.CodeHost, then a line for each command that only this host has.
//   - Pages: the functions of browse.Site. Sign-in: a signin.Config, if the host is an OpenID Connect provider.
//   - Run, with demo.Start for the sample, a package simapi with the host's Settings and Doubts, and a package simclient whose
//     Client embeds the shared one.
//
// Below this package are the parts without HTTP: real git repositories (gitrepo), unified diffs (patch), pages
// for people (browse and page), sample pull requests (demo), the types of the control interface (simapi) and
// its client (simclient). Its only import from the product is internal/regexp, so that a simulator cannot
// share the mistakes of an adapter.
package host
