// Package tracker is a simulated issue tracker in one of four dialects: Linear (GraphQL and OAuth), Jira Cloud (REST version 3),
// Jira Data Center (REST version 2) and Azure Boards (REST 7.1): the part of each that a reviewing service uses, with
// webhooks, a record of everything that was asked and written, faults on demand, and pages on which a person looks at an issue
// with its comments and links. It serves both as a library (New, Server.Handler) and as a process of its own (Run). It is for
// demonstrations and tests and must not be reachable from outside of the machine.
//
// It follows Linear's schema (github.com/linear/linear) and linear.app/developers, the OpenAPI description of Jira Cloud's
// platform and developer.atlassian.com/server/jira for Data Center, and the work item tracking API 7.1 of
// MicrosoftDocs/vsts-rest-api-specs. Nothing was compared with the real trackers. Where sources do not say what a tracker does,
// or differ, both positions can be had, as a [simapi.Doubt].
//
// State is kept in memory and in one JSON file of the data folder. Nothing here imports packages of the product, so that it
// cannot share their mistakes.
package tracker
