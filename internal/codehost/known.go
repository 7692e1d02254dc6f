package codehost

import (
	"slices"

	"github.com/assay-dev/assay/internal/domain"
)

// GitHub is the kind of host that apps connect to, without a connection.
const GitHub domain.ConnectionKind = "github"

// Profile describes a kind of host, with or without an adapter.
type Profile struct {
	Kind    domain.ConnectionKind
	Name    string
	Adapter string // folder below this package
	Built   bool   // the adapter exists
	Capabilities
	Promise string   // what publishing promises and does not promise on this host
	Notes   []string // capabilities that rest on reports or have no source
}

// Bounds, most of them chosen by us. A review with 65 comments met GitHub's secondary limit
// (alibaba/open-code-review#158).
const (
	ourComments = 40
	// githubBody is GitHub's bound: beyond it, GitHub answers 422 "body is too long"
	// (telia-oss/github-pr-resource#259). We use it also for hosts without a bound: Gitea 1.26.4 took
	// 1,100,000 characters.
	githubBody = 65_536
	gitlabNote = 1_000_000 // runatlantis/atlantis#798
	// cloudComment is the most characters that pr-agent sends to Bitbucket Cloud
	// (The-PR-Agent/pr-agent#1119). Bitbucket documents no bound.
	cloudComment = 31_000
	serverText   = 32_767  // jfrog/frogbot#647: fewer than 32,768
	azureComment = 150_000 // runatlantis/atlantis#1585
)

const draftPromise = "Exactly one visible review for each run, whatever crashes and whichever answers are lost."

const directPromise = "One visible review for each run, with exactly the comments that were frozen. After a create whose answer was lost, or whose worker died, the review is looked for by its mark; " +
	"it is made again only when a minute and a half has passed without it. Where the host applies a create later than that, or its list does not show the review for so long, a twin is visible until it is found and deleted: " +
	"a minute, ten minutes or an hour after the end of the run. The older one stays, and so does one in which a person has written. A review that the host shows with other comments than were sent is deleted and made again once, with its comments in the body. " +
	"Where the account is shared with people, their drafts are left alone and the run fails as `slot_busy`; a draft that a person begins in the moment between our look and our next call becomes a part of the review."

const notesPromise = "At most one visible review for each run, and no comment of it twice. It is not atomic: comments become visible one by one, the summary last, and a crash in between " +
	"leaves a part of them visible until the next worker goes on, which after a lost answer waits until a minute and a half has passed: a request that the host applies later than that is not covered. " +
	"Where the account is shared with people, their drafts are left alone, and one of ours in which a person has written is not made visible: the run ends as `slot_busy` where it is the summary's, or before any is visible; what is written between our look and our next call is not seen. A person who submits a review by hand makes our drafts visible, too."

const markedPromise = "Duplicates can be seen for seconds to minutes after a crash, until they are found by their mark and deleted. " +
	"Where the account is shared with people, only what carries our mark is touched."

// Profiles describes every kind of host.
func Profiles() []Profile {
	gitea := Capabilities{
		WholeReview: true, AbsorbsDrafts: true, EditReviews: true, ResolveThreads: true, TellsResolver: true, LineThreads: true, HTML: true, Marks: MarkComment,
		Outcome: OutcomeStatus, MaxBody: githubBody, MaxComment: githubBody, MaxComments: ourComments, Labels: true, Reviewers: true, Commits: true, JobLogs: true,
		Redelivery: RedeliverNever, Replay: ReplayNew, NewRepositories: NewByHook, LineLinks: "#L10-L20",
	}
	forgejo := gitea
	forgejo.ResolveThreads, forgejo.JobLogs = false, false
	return []Profile{
		{
			Kind: GitHub, Name: "GitHub", Adapter: "github", Built: true, Promise: draftPromise,
			Capabilities: Capabilities{
				PrivateDrafts: true, WholeReview: true, AtomicCreate: true, OneDraftSlot: true, EditReviews: true, MultiLine: true, HTML: true,
				Suggestions: SuggestFence, Marks: MarkComment, Outcome: OutcomeCheck, MaxBody: githubBody, MaxComment: githubBody, MaxComments: ourComments,
				Labels: true, Reviewers: true, Commits: true, ExactHead: true, JobLogs: true, Redelivery: RedeliverRequest, Replay: ReplaySame, NewRepositories: NewByEvent, TellsScopes: true,
				LineLinks: "#L10-L20",
			},
			Notes: []string{
				"A commit by calls goes on a branch only as a fast-forward. Not refused is one where the branch was set back to an earlier commit in the moment between look and update.",
				"Logs of jobs are fetched from the storage to which the interface leads, another machine (on github.com below `blob.core.windows.net`), without the app's token.",
				"Commits by calls need the permission to write contents, and workflow files the one to write workflows, which the app does not ask for.",
				"GitHub was observed to allow an account one draft on a pull request; no documentation says so. Only the number of drafts that are left behind depends on it, never the number of visible reviews.",
				"Threads could be resolved with the permission to write contents (github/gh-aw#35726), which the app does not ask for.",
			},
		},
		{
			Kind: domain.GitLab, Name: "GitLab", Adapter: "gitlab", Built: true, Promise: notesPromise,
			Capabilities: Capabilities{
				PrivateDrafts: true, AtomicCreate: true, EditReviews: true, ResolveThreads: true, MultiLine: true, HTML: true,
				Suggestions: SuggestRange, Marks: MarkComment, Outcome: OutcomeStatus, StatusByBranch: true, MaxBody: gitlabNote, MaxComment: gitlabNote, MaxComments: ourComments,
				Labels: true, Reviewers: true, Commits: true, JobLogs: true, Redelivery: RedeliverRequest, Replay: ReplaySame, NewRepositories: NewByLook, TellsScopes: true,
				LineLinks: "#L10-20",
			},
			Notes: []string{
				"Nothing was tried against a running GitLab. It is not confirmed that HTML comments stay hidden.",
				"A draft is taken at any place, and published with no error where no comment comes of it; a comment may be made and its draft kept, with an error (app/services/draft_notes/publish_service.rb). So comments are read before the summary is shown. The behaviour of GitLab for places in files that are too large is known from its source alone.",
				"The id of a draft is not that of the comment that it becomes; a comment is found by its mark. The host does not record which comments belong together.",
				"A commit by calls names the commit that changed each file last, not the head: a push that changes one of them in between is refused, one that changes others is built upon, which the answer says.",
				"A commit status moves forward only: to give one another text in the state that it has, or to have it wait again, the adapter ends it as canceled and begins a new one.",
				"GitLab Free takes one reviewer; more are refused. Labels have no commas. Jobs have no steps.",
				"Payloads of webhooks name neither the author's login nor a commit of the base: the merge request is read for them. Deliveries are signed where the version can; else the secret stands in a header.",
				"`bulk_publish` makes every draft of the account visible, so it is never used (gitlab-org/gitlab#396965).",
			},
		},
		{
			Kind: domain.BitbucketCloud, Name: "Bitbucket Cloud", Adapter: "bitbucketcloud", Promise: markedPromise,
			Capabilities: Capabilities{
				EditReviews: true, ResolveThreads: true, MultiLine: true, Marks: MarkReference, Outcome: OutcomeReport,
				MaxBody: cloudComment, MaxComment: cloudComment, MaxComments: ourComments, Reviewers: true, Commits: true, JobLogs: true,
				Redelivery: RedeliverItself, Replay: ReplayUnknown, LineLinks: "#lines-10:20",
			},
			Notes: []string{
				"HTML comments are shown as text (The-PR-Agent/pr-agent#3386).",
				"It is not confirmed that comments with `pending` are private, so they count as visible.",
				"Events of more than 256 KB are not sent, without notice.",
			},
		},
		{
			Kind: domain.BitbucketDataCenter, Name: "Bitbucket Data Center", Adapter: "bitbucketserver", Promise: notesPromise,
			Capabilities: Capabilities{
				PrivateDrafts: true, AtomicCreate: true, AbsorbsDrafts: true, EditReviews: true, ResolveThreads: true, Suggestions: SuggestFence, Marks: MarkReference,
				Outcome: OutcomeReport, MaxBody: serverText, MaxComment: serverText, MaxComments: ourComments, Reviewers: true, Commits: true,
				Redelivery: RedeliverNever, Replay: ReplayUnknown, LineLinks: "#10-20",
			},
			Notes: []string{
				"Finishing a review makes every pending comment of the account visible, so what is left is deleted first.",
				"A file is a commit of its own where changes are made by calls. It is not confirmed that a comment can be made as pending.",
			},
		},
		{
			Kind: domain.Gitea, Name: "Gitea", Adapter: "gitea", Built: true, Promise: directPromise, Capabilities: gitea,
			Notes: []string{
				"Measured with 1.26.4: a line that is not there is answered with 500 and leaves a draft that holds the comments before it, a bad commit of a review with comments with 500 and leaves an empty one; the next review of the account takes in what is left. An unknown path, and the old side of a new file, are accepted. So every place is checked before anything is sent.",
				"Measured with 1.26.4: a draft that the interface makes is private in the interface alone. The page shows its body, and it is mailed; both happen a second time when it is submitted. A review that one call makes visible is shown and mailed once.",
				"The host sends no event when a person resolves a conversation: assay reads it when the next review of the pull request begins. The host tells who resolved it; it does not tell when, nor that it was opened again.",
				"Threads are resolved, and jobs of its CI listed, from 1.26 on. Logs of jobs are read by the description of the interface: no machine that runs jobs was there to try it.",
				"Measured with 1.26.4: only owners of an organisation may manage its webhook. It reports repositories that are made, forked or deleted. It does not report a new name, owner or visibility. The webhooks of repository and organisation send the same body under ids of their own.",
				"Measured with 1.26.4: a commit by calls names the files that it was made for, not the head (routers/api/v1/repo/file.go, ChangeFiles): a push that changes one of them in between is refused, one that changes others is built upon, which the answer says.",
			},
		},
		{
			Kind: domain.Forgejo, Name: "Forgejo", Adapter: "gitea", Built: true, Promise: directPromise, Capabilities: forgejo,
			Notes: []string{
				"Measured with a version of December 2024: drafts as on Gitea, and the entry of a draft on the page cannot be deleted (the call answers 204 and deletes nothing). A draft takes in what is left of another. A line that is not there, an unknown path and a bad commit are all accepted.",
				"The host sends no event when a person resolves a conversation: assay reads it when the next review of the pull request begins. The host tells who resolved it; it does not tell when, nor that it was opened again.",
				"That interface has no list of jobs by commit and no logs of them (forgejo/forgejo at 456d0599, templates/swagger/v1_json.tmpl: R/actions/tasks alone).",
			},
		},
		{
			Kind: domain.AzureDevOps, Name: "Azure DevOps", Adapter: "azuredevops", Promise: markedPromise,
			Capabilities: Capabilities{
				EditReviews: true, ResolveThreads: true, MultiLine: true, Marks: MarkProperty, Outcome: OutcomeStatus, MaxBody: azureComment, MaxComment: azureComment,
				MaxComments: ourComments, Labels: true, Reviewers: true, Commits: true, JobLogs: true, Redelivery: RedeliverUnknown, Replay: ReplayUnknown,
				LineLinks: "&line=10&lineEnd=20",
			},
			Notes: []string{"Sources contradict each other on suggestions that a click applies, so none are made. It is not confirmed that HTML is rendered, so texts have no HTML."},
		},
	}
}

// NameOf returns the name of a kind of host for people, or the kind itself if it is unknown.
func NameOf(kind domain.ConnectionKind) string {
	all := Profiles()
	if i := slices.IndexFunc(all, func(p Profile) bool { return p.Kind == kind }); i >= 0 {
		return all[i].Name
	}
	return string(kind)
}

// Known returns the capabilities of a kind of host, or the zero value for an unknown kind, which cannot
// publish. The adapter removes capabilities that a version or a permission does not give.
func Known(kind domain.ConnectionKind) Capabilities {
	all := Profiles()
	if i := slices.IndexFunc(all, func(p Profile) bool { return p.Kind == kind }); i >= 0 {
		return all[i].Capabilities
	}
	return Capabilities{}
}
