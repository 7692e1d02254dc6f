// Package tracker is a simulated issue tracker in one of four dialects: Linear (GraphQL and OAuth), Jira Cloud
// (REST version 3), Jira Data Center (REST version 2) and Azure Boards (REST 7.1). It serves the parts that a
// reviewing service uses, with webhooks, a record of all requests and writes, faults on demand, and pages that
// show people an issue with its comments and links. It runs as a library (New, Server.Handler) and as a
// process (Run). It is for demonstrations and tests and must not be reachable from outside the machine.
//
// It follows Linear's schema (github.com/linear/linear) and linear.app/developers, the OpenAPI description of
// Jira Cloud's platform and developer.atlassian.com/server/jira for Data Center, and the work item tracking
// API 7.1 of MicrosoftDocs/vsts-rest-api-specs. It was not compared with the real trackers. If no source
// documents a tracker's behaviour, or sources differ, a [simapi.Doubt] selects one.
//
// The state is in memory and in one JSON file of the data folder. The package imports no packages of the
// product, so that it cannot share their mistakes.
package tracker
