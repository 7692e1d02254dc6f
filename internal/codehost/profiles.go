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
	Promise string   // the promise of its protocol about a published review, with its limits
	Notes   []string // measured or reported behaviour of the host, and capabilities without a source
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

const directPromise = "One visible review for each run, with exactly the comments that were frozen, except in the cases that " +
	"[reliability/publishing.md](../reliability/publishing.md#gitea-and-forgejo-one-write) names."

const notesPromise = "At most one visible review for each run, and no comment of it twice. It is not atomic: comments become " +
	"visible one by one, the summary last. " +
	"A crash in between leaves a part of them visible until the next worker goes on. After a lost answer that worker waits a minute " +
	"and a half: " +
	"a request that the host applies later than that is not covered. " +
	"If people share the account, assay leaves their drafts alone, and does not make a draft of its own visible in which a person " +
	"has written. " +
	"If that draft is the summary's, or no draft is visible yet, the run ends as `slot_busy`. assay does not see text that a person " +
	"writes between its look and its next call. " +
	"A person who submits a review by hand makes assay's drafts visible, too."

const markedPromise = "One visible comment for each finding that is placed, and one summary, except in the cases that " +
	"[reliability/publishing.md](../reliability/publishing.md#bitbucket-cloud-and-azure-devops-each-comment-visible-at-once) names; " +
	"then a comment is there twice for minutes, until assay finds both by their mark and deletes one. " +
	"It is not atomic: comments become visible one by one, the summary last. A crash in between leaves a part of them visible until " +
	"the next worker goes on. After a lost answer that worker waits a minute and a half. " +
	"assay deletes only comments of its account that have its mark and its own text, and that no other comment answers."

// Profiles describes every kind of host.
func Profiles() []Profile {
	gitea := Capabilities{
		WholeReview: true, AbsorbsDrafts: true, EditReviews: true, ResolveThreads: true, TellsResolver: true, Reactions: true, LineThreads: true,
		HTML: true, Marks: MarkComment,
		Outcome: OutcomeStatus, MaxBody: githubBody, MaxComment: githubBody, MaxComments: ourComments, Labels: true, Reviewers: true,
		Commits: true, JobLogs: true,
		Redelivery: RedeliverNever, Replay: ReplayNew, NewRepositories: NewByHook, LineLinks: "#L10-L20",
	}
	forgejo := gitea
	forgejo.ResolveThreads, forgejo.JobLogs = false, false
	return []Profile{
		{
			Kind: GitHub, Name: "GitHub", Adapter: "github", Built: true, Promise: draftPromise,
			Capabilities: Capabilities{
				PrivateDrafts: true, WholeReview: true, AtomicCreate: true, OneDraftSlot: true, EditReviews: true, TellsResolver: true,
				Reactions: true, MultiLine: true, HTML: true,
				Suggestions: SuggestFence, Marks: MarkComment, Outcome: OutcomeCheck, MaxBody: githubBody, MaxComment: githubBody,
				MaxComments: ourComments,
				Labels:      true, Reviewers: true, Commits: true, ExactHead: true, JobLogs: true, Redelivery: RedeliverRequest,
				Replay: ReplaySame, NewRepositories: NewByEvent, TellsScopes: true,
				LineLinks: "#L10-L20",
			},
			Notes: []string{
				"A commit by calls goes on a branch only as a fast-forward. GitHub accepts it also if the branch was set back to an " +
					"earlier commit between look and update.",
				"assay fetches logs of jobs from the storage that the interface names, another machine (on github.com below " +
					"`blob.core.windows.net`), without the app's token.",
				"Commits by calls need the permission to write contents, and those of workflow files the permission to write " +
					"workflows. The app asks for neither.",
				"GitHub was seen to allow an account one draft on a pull request; no documentation says so. The number of drafts " +
					"left behind depends on it, never the number of visible reviews.",
				"assay reads who closed the newest 500 threads of a pull request.",
				"Threads could be resolved with the permission to write contents (github/gh-aw#35726), which the app does not ask for.",
			},
		},
		{
			Kind: domain.GitLab, Name: "GitLab", Adapter: "gitlab", Built: true, Promise: notesPromise,
			Capabilities: Capabilities{
				PrivateDrafts: true, AtomicCreate: true, EditReviews: true, ResolveThreads: true, TellsResolver: true, Reactions: true, MultiLine: true,
				HTML:        true,
				Suggestions: SuggestRange, Marks: MarkComment, Outcome: OutcomeStatus, StatusByBranch: true, MaxBody: gitlabNote,
				MaxComment: gitlabNote, MaxComments: ourComments,
				Labels: true, Reviewers: true, Commits: true, JobLogs: true, Redelivery: RedeliverRequest, Replay: ReplaySame,
				NewRepositories: NewByLook, TellsScopes: true,
				LineLinks: "#L10-20",
			},
			Notes: []string{
				"Lists of notes do not count emoji reactions, so reading thumbs costs a request for each comment of assay, of fifty at most.",
				"Nothing was tried against a running GitLab. It is not confirmed that HTML comments stay hidden.",
				"GitLab accepts a draft at any place, and publishes it without an error even if no comment appears. It may also " +
					"make a comment, keep its draft and return an error (app/services/draft_notes/publish_service.rb). So assay reads " +
					"the comments before it shows the summary. The behaviour for places in files that are too large is known from the " +
					"source alone.",
				"A draft and the comment that it becomes have different ids, so assay finds a comment by its mark. The host does " +
					"not record which comments belong together.",
				"A commit by calls names the commit that changed each file last, not the head. If a push changes one of the files " +
					"in between, GitLab refuses the commit. If a push changes others, GitLab builds upon it, and the answer says so.",
				"A commit status moves forward only. To change its text, or to make it wait again, the adapter ends it as canceled " +
					"and begins a new one.",
				"GitLab Free accepts one reviewer and refuses more. Labels have no commas. Jobs have no steps.",
				"Payloads of webhooks name neither the author's login nor a commit of the base, so assay reads the merge request. " +
					"Deliveries are signed if the version supports it; otherwise the secret stands in a header.",
				"`bulk_publish` makes every draft of the account visible, so it is never used (gitlab-org/gitlab#396965).",
			},
		},
		{
			Kind: domain.BitbucketCloud, Name: "Bitbucket Cloud", Adapter: "bitbucketcloud", Built: true, Promise: markedPromise,
			Capabilities: Capabilities{
				EditReviews: true, ResolveThreads: true, TellsResolver: true, MultiLine: true, Marks: MarkReference, Outcome: OutcomeStatus,
				MaxBody: cloudComment, MaxComment: cloudComment, MaxComments: ourComments, Reviewers: true, Commits: true, ExactHead: true,
				JobLogs: true, Redelivery: RedeliverItself, Replay: ReplayUnknown, NewRepositories: NewByHook, TellsScopes: true,
				LineLinks: "#lines-10:20",
			},
			Notes: []string{
				"HTML comments are shown as text (The-PR-Agent/pr-agent#3386).",
				"The interface takes comments with `pending`, which their author sees until a person finishes the review on the page " +
					"(gildas/bitbucket-cli#106). It has no call that finishes a review, so assay makes no such comments.",
				"Events of more than 256 KB are not sent, without notice. The sweep finds what they would have reported.",
				"Nothing was tried against Bitbucket Cloud itself. It is not confirmed that the host places a comment only on lines of the " +
					"diff, so assay checks each place first.",
				"Pull requests and events have short ids of commits, which assay expands. Events do not say what was changed on a pull " +
					"request, so assay reads it.",
				"The key of a build status follows from the name of the check, because the host requires each key of a commit to pass.",
				"Accounts have no user names. The login of a person is the nickname, which is not unique: rights hang on ids.",
				"Only administrators of a repository see the rights of people. Without them, commands of people are refused.",
				"The interface has no labels of pull requests and no reactions to comments.",
			},
		},
		{
			Kind: domain.BitbucketDataCenter, Name: "Bitbucket Data Center", Adapter: "bitbucketserver", Built: true, Promise: notesPromise,
			Capabilities: Capabilities{
				PrivateDrafts: true, AtomicCreate: true, AbsorbsDrafts: true, EditReviews: true, ResolveThreads: true, TellsResolver: true,
				Suggestions: SuggestFence, Marks: MarkReference,
				Outcome: OutcomeReport, MaxBody: serverText, MaxComment: serverText, MaxComments: ourComments, Reviewers: true,
				Commits: true, ExactHead: true,
				Redelivery: RedeliverNever, Replay: ReplayUnknown, LineLinks: "#10-20",
			},
			Notes: []string{
				"Nothing was tried against a running Bitbucket. The calls are those of Atlassian's description of 9.2.",
				"Finishing a review makes every pending comment of the account visible at once, so a review appears as a whole, and assay " +
					"first deletes leftovers of its own. A person's pending comment with the same account ends the run as `slot_busy`. A " +
					"comment that the host writes between that look and the end can be visible twice.",
				"The description says that a comment can be made as pending. On a host that ignores it, each comment is visible as soon as it " +
					"is written, the summary last; if the pull request changes meanwhile, those already written stay. assay looks for a " +
					"comment with the same text and place before it writes one again.",
				"Changes by calls make a commit for each file and cannot delete one, so assay commits fixes with git and the token of the " +
					"connection. The push names the expected head of the branch. Logs of jobs are at the systems that run them.",
				"The host does not say which permissions a token has, or when it ends. It sends no event about builds, so assay asks for them.",
				"Repositories have no address by their number. After a rename or a move assay finds one by its former name, or in the list of " +
					"all repositories that the token reads.",
			},
		},
		{
			Kind: domain.Gitea, Name: "Gitea", Adapter: "gitea", Built: true, Promise: directPromise, Capabilities: gitea,
			Notes: []string{
				"Measured with 1.26.4: a missing line is answered with 500 and leaves a draft with the comments before it. A bad " +
					"commit of a review with comments is answered with 500 and leaves an empty draft. The next review of the account " +
					"takes in such a draft. An unknown path, and the old side of a new file, are accepted. So assay checks every place " +
					"before it sends anything.",
				"Measured with 1.26.4: a draft is private in the interface alone. The page shows its body, and the host mails it; " +
					"both happen a second time when it is submitted. A review that one call makes visible is shown and mailed once.",
				"Lists of comments do not count reactions, so reading thumbs costs a request for each comment of assay, of fifty at most. " +
					"The call is known from the source alone (routers/api/v1/repo/issue_reaction.go, GetIssueCommentReactions).",
				"The host sends no event when a person resolves a conversation, so assay reads it in the next review of the pull " +
					"request. The host shows the person who resolved it, but not the time, nor that it was opened again.",
				"assay resolves threads and lists jobs of the CI from 1.26 on. Reading logs of jobs follows the description of the " +
					"interface and was not tried, for lack of a machine that runs jobs.",
				"Measured with 1.26.4: only owners of an organisation may manage its webhook. It reports repositories that are " +
					"made, forked or deleted. It does not report a new name, owner or visibility. The webhooks of repository and " +
					"organisation send the same body under ids of their own.",
				"Measured with 1.26.4: a commit by calls names the files that it was made for, not the head " +
					"(routers/api/v1/repo/file.go, ChangeFiles). If a push changes one of them in between, Gitea refuses the commit. If " +
					"a push changes others, Gitea builds upon it, and the answer says so.",
			},
		},
		{
			Kind: domain.Forgejo, Name: "Forgejo", Adapter: "gitea", Built: true, Promise: directPromise, Capabilities: forgejo,
			Notes: []string{
				"Measured with a version of December 2024: drafts are as on Gitea, and the entry of a draft on the page cannot be " +
					"deleted (the call answers 204 and deletes nothing). A draft takes in the leftovers of another. A missing line, an " +
					"unknown path and a bad commit are all accepted.",
				"The host sends no event when a person resolves a conversation, so assay reads it in the next review of the pull " +
					"request. The host shows the person who resolved it, but not the time, nor that it was opened again.",
				"The interface has no list of jobs by commit and no logs of them (forgejo/forgejo at 456d0599, " +
					"templates/swagger/v1_json.tmpl: R/actions/tasks alone).",
			},
		},
		{
			Kind: domain.AzureDevOps, Name: "Azure DevOps", Adapter: "azuredevops", Built: true, Promise: markedPromise,
			Capabilities: Capabilities{
				EditReviews: true, ResolveThreads: true, MultiLine: true, Marks: MarkProperty, Outcome: OutcomeStatus, MaxBody: azureComment,
				MaxComment:  azureComment,
				MaxComments: ourComments, Labels: true, Reviewers: true, Commits: true, ExactHead: true, JobLogs: true,
				Redelivery: RedeliverUnknown, Replay: ReplayUnknown, NewRepositories: NewByLook,
				LineLinks: "&line=10&lineEnd=20",
			},
			Notes: []string{
				"Nothing was tried against a running Azure DevOps. Sources contradict each other on suggestions that a click applies, so " +
					"assay makes none and shows a diff. It is not confirmed that HTML is rendered, so texts have no HTML.",
				"The host has no diff. Reviews use git; labels and explanations of failed jobs compare the files of both sides, of a " +
					"hundred files and 8 MiB at most, and name the rest.",
				"A comment is a thread with assay's mark in the property `Assay.Mark`. An answer in a thread, and a text whose mark " +
					"changed, have the mark in the text, as a link definition that people do not see.",
				"Threads on lines are active, so a branch policy that requires resolved comments counts them. The summary has no state " +
					"and does not count. The host does not report who resolved a thread.",
				"The outcome is a status of the pull request with the genre `assay`, for the iteration of its head, which branch policies can " +
					"require. A head that no iteration has gets a status of its commit.",
				"The host keeps no time of a pull request's last change. Failed jobs of lost events are looked for in pull requests of the last " +
					"day alone.",
				"Rights are those of the groups Project Collection Administrators, Project Administrators, Contributors and Readers, with the " +
					"groups in them. Rights on one repository, and those of other groups, are not read.",
				"The host sends no event for a new title, label, target or end of a draft. Votes are people's own: assay gives none, and " +
					"takes none for its approval.",
				"Lists of builds have no filter for a commit, so the newest thousand builds of the repository are searched.",
				"Descriptions of pull requests have at most 4,000 characters.",
			},
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

// CapabilitiesOf returns the capabilities of a kind of host, or the zero value for an unknown kind, which cannot
// publish. The adapter removes capabilities that a version or a permission does not give.
func CapabilitiesOf(kind domain.ConnectionKind) Capabilities {
	all := Profiles()
	if i := slices.IndexFunc(all, func(p Profile) bool { return p.Kind == kind }); i >= 0 {
		return all[i].Capabilities
	}
	return Capabilities{}
}
