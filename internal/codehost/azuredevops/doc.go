// Package azuredevops is the adapter to Azure DevOps (Services and Server) with a personal access token, or a service principal of
// Microsoft Entra, of a tenant. It reads pull requests, publishes threads one by one and statuses, answers a connection's requests
// (account, repositories, people, our service hooks), and reads deliveries of service hooks.
//
// Every request takes the one path of package wire. Facts about the wire are from the descriptions of version 7.1
// (MicrosoftDocs/vsts-rest-api-specs: git, build, hooks, core, ims) and from learn.microsoft.com/azure/devops, where a comment names no
// other source. They were not tested against a running host. Comments mark claims without a source as not confirmed.
//
// A repository is named by its project and its own name: [codehost.Repo.Owner] is "organisation/project", where a collection takes the
// place of the organisation on Azure DevOps Server. Numbers of pull requests count per organisation. Projects and repositories have names
// with spaces and letters of any script.
//
// The publishing protocol, decisions about retries, HTTP handlers, SQL, and code that other hosts could share do not belong here.
package azuredevops
