// Package bitbucketcloud is the adapter of Bitbucket Cloud. It has its own thin client, because no Go library has typed answers,
// ranges of lines, resolved threads and logs of pipelines (github.com/ktrysmt/go-bitbucket v0.10.0).
//
// "R" stands for /repositories/{workspace}/{slug} in comments. "The description" is Atlassian's OpenAPI 3 file of Bitbucket Cloud, as
// carried by coderabbitai/bitbucket (src/cloud/openapi/swagger.v3.json). Nothing was tried against Bitbucket Cloud itself.
//
// # Ids
//
// Ids of repositories, accounts, webhooks and pipelines are the host's UUIDs without their braces. An id of a comment is "7.301":
// comment 301 of pull request 7, because the host asks for both. An id of a job is "pipeline.step".
//
// Accounts have no user names since 2019. The login of a person is the nickname, which the person chooses and which is not unique. So
// a right that hangs on the login alone is only granted if exactly one person of the repository has it, see [Host.Permission].
package bitbucketcloud
