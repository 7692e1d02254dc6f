// Package azuredevops simulates Azure DevOps (Services and Server): the parts of its REST interface 7.1 for git, builds, identities and
// service hooks, git over HTTP, pages for people, and faults on demand.
//
// Routes and answers follow MicrosoftDocs/vsts-rest-api-specs (specification/git, build, hooks, core, ims, version 7.1) and
// learn.microsoft.com/azure/devops. Nothing was compared with a running host. A question that no source answers is a
// [simapi.Doubt], and both answers can be simulated.
//
// The first segment of a path is the organisation or collection, the second the project. A repository is named "organisation/project/name"
// in the control interface; "owner/name" is short for "owner/owner/name". Numbers of pull requests count per organisation.
package azuredevops
