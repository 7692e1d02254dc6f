package wording

// Key identifies a text. A test checks that each language has all of them.
type Key int

// Comments list the arguments of a text by number. If 0 is a number, it decides between singular and
// plural.
const (
	none Key = iota // no text

	// Composition of texts.
	Between   // separator of an enumeration
	Sentences // separator of two sentences on one line
	Aside     // 0 text, 1 remark in parentheses
	Labelled  // 0 label, 1 text after it
	TitleEnd  // separator of a title and a sentence
	Question  // 0 title in the form of a question
	NamedMore // 0 some names, 1 number of further ones
	AndMore   // 0 number of further ones
	MoreFiles // 0 number of further files

	// Replacements of text from outside.
	LinkRemoved
	CutHere

	// The first sentence of a summary.
	ReviewedClean       // 0 files, 1 head
	ReviewedSoFar       // the same, incomplete
	ReviewedFound       // 0 files, 1 head, 2 open findings, 3 their severities
	ReviewedFoundSome   // the same, 4 number in comments
	ReviewedFoundAll    // as ReviewedFound, all are in comments
	NothingToReview     // 0 head
	NothingButFound     // 0 head, 1 open findings, 2 their severities
	NothingButFoundSome // the same, 3 number in comments
	NothingButFoundAll  // as NothingButFound, all are in comments
	OpenFindings        // 0 number

	// The rest of a summary.
	Synopsis        // 0 sentence in which a model describes the change
	EarlierSynopsis // 0 commit that it was written for, 1 sentence
	WorthALook
	MinorFindings     // 0 number
	MinorAndQuestions // 0 number
	RunDetails
	InComments      // 0 number of findings
	LaterRounds     // 0 number of findings that wait because of the round
	ForPrograms     // heading of the verdict in JSON
	ReviewRound     // 0 number, from the second review on
	StaticUnchanged // 0 findings
	Suppressed      // 0 findings
	Dismissed       // 0 findings
	Calibrated      // 0 findings
	LargeChange
	Reduced
	NotReviewed   // 0 counts of files
	ChecksOnly    // 0 counts of files
	Files         // 0 number
	PullRequest   // place of a finding without a file
	ExistedBefore // of a finding
	CameBack
	CameBackLink // 0 link
	EarlierComment
	DismissedBefore
	HowToAnswer

	// A later review.
	Later         // 0 head or heads, 1 new results
	LaterNew      // 0 findings
	LaterBack     // 0 findings
	LaterResolved // 0 earlier findings, 1 number of resolved ones
	LaterNothing

	// A comment on lines.
	When   // 0 input or state
	AlsoAt // 0 further places of a defect
	ByHand
	Why
	Cites         // 0 guideline file, 1 a sentence of it
	RestsOn       // 0 documented behaviour
	ModelExplains // 0 sentences of a model
	Confidence    // 0 a number
	Details
	ResolvedIn   // 0 head, 1 title
	CameBackIn   // 0 head, 1 title
	CameBackHere // the same, 2 link
	SaidAgain
	MoreSerious // 0 head, 1 severity now, 2 severity before
	NotOnLines
	MoreComments

	// The comment about failed jobs.
	FailedJobs // 0 commit
	JobsPass   // 0 commit
	JobWaits
	JobGivenUp
	JobCaused
	JobUnrelated
	JobUnclear
	JobSuggestion // 0 suggestion
	JobFlaky
	JobHistory // 0 of 1 earlier failures
	JobOld
	JobNoLog // 0 why
	JobNoModel
	JobsLeftOut // 0 names
	JobDetails
	JobLogLine // 0 number
	OnLines    // 0 first line, 1 last line of a comment

	// Severities, and findings of each.
	Critical
	High
	Medium
	Low
	Info
	CriticalCount // 0 findings
	HighCount
	MediumCount
	LowCount
	InfoCount

	// Categories.
	Bug
	Security
	Performance
	Concurrency
	API
	Test
	Maintainability
	Docs
	Rule
	Secret
	StaticAnalysis

	// A check run.
	TitleFound           // 0 open findings, 1 their severities
	TitleFoundIncomplete // the same
	TitleFoundChecks     // the same, deterministic checks only
	TitleNotBlocking     // 0 one of the titles above; the policy lets severe findings pass
	TitleClean
	TitleIncomplete
	TitleChecks
	TitleNothing
	NothingExamined // 0 head
	NotLookedAt
	ChecksOff
	RepositoryFile // 0 name of the repository's settings file
	TitleQueued
	SayQueued
	TitleRunning
	SayRunning
	SayPublishing
	TitleApproval
	TitleApprovalBy // the same in one line: 0, 1 commands that approve and reject
	SayApproval
	SayApprovalHow // 0, 1 commands that approve and reject
	TitleRejected
	TitleExpired
	HeadNotPublished // 0 why, in sentences
	RejectedBy       // 0 name
	TitleSilent
	SaySilent
	TitleTwin
	SayTwin
	TitleFailed
	TitleCancelled
	TitleSuperseded
	TitleRetargeted
	TitleSkipped
	HeadNotReviewed // 0 why, in sentences
	TheReason       // 0 a sentence, 1 the reason
	RunAgain
	RunAgainBy // the same, if the check has no button
	BlockedBefore
	BlockedUnreviewed // 0 a command in a comment
	CheckOf           // 0 number of a pull request, 1 target branch

	// Answers to commands.
	SayPaused
	SayResumed
	SayStill // 0 why the next push is not reviewed
	SayNotOpen
	SayRole
	SayUnknown
	SayNear       // 0 command
	SayExtra      // 0 command
	SayExtraFor   // possible words after "review"
	SayWaitsOther // 0, 1 commands that approve and reject the waiting review
	SayWaitsNothing
	SayOwnReview
	SayRejected
	SayNoFinding   // 0 command
	SayNeedsReason // 0 command
	SayNotOpenFinding
	SaySeveralFindings
	SayOwnFinding
	SayDismissed
	HelpBegins
	HelpColumns // the head of a table
	HelpReview
	HelpFull
	HelpPause
	HelpResume
	HelpApprove
	HelpReject
	HelpExplain
	HelpIgnore
	HelpList

	// Answers to replies.
	ReplyStands // 0 place
	ReplyRight
	ReplyMended    // 0 head
	ReplyNotMended // 0 head, 1 place
	ReplyUndecided // 0 command
	ReplyRule      // 0 page of the rules
	RulesPage

	// Why a review lacks the model's part, in sentences.
	OnlyChecks // 0 why
	OnlyChecksUnavailable
	OnlyChecksNotConfigured
	OnlyChecksBudget
	OnlyChecksAuthor  // 0 reviews of an hour
	OnlyChecksOutside // 0 reviews of an hour
	Incomplete        // 0 clauses

	// Parts that a review lacks: [Clauses].
	PartsReviewed  // 0 of 1 parts
	GroupsVerified // 0 of 1 groups
	FilesTooLarge  // 0 files
	FilesUnchecked // 0 of 1 files
	FilesUnproven  // 0 files
	MoreInChange
	BudgetUsed
	NoUsableAnswer // 0 parts
	TooLong        // 0 parts
	SomeParts

	// Why a file was not reviewed, or not completely: [Reasons].
	WhyLargeChange
	WhyLargeFile
	WhyManyFiles
	WhyNotSelected
	WhyReduced
	WhyExcluded
	WhyNotIncluded
	WhyUnchecked
	WhyUncheckedFile
	WhyChecksOnly
	WhyTooLong
	WhyTooMuch
	WhyNoAnswer
	WhyFault
	WhyForm
	WhyBrokeOff
	WhyMore
	WhyBudget
	WhyWorkflow
	WhyGo
	WhyRuleBroken
	WhyRuleBound
	WhyCut
	WhySecrets
	WhyBinaryText
	WhyMarked
	WhyMinifiedHere
	WhyUnproven
	WhyVendoredHere
	WhyVendoredEdit
	WhyByMark
	WhyLFS
	WhyLongData
	WhyOutputs
	WhyDeleted
	WhyNoLine
	WhyWasText
	WhyNoText
	WhyOmittedLarge
	WhyOmittedByHost
	WhyOmittedUnreadable
	WhyOmittedPath
	WhyDocs
	WhyGenerated
	WhyVendored
	WhyLock
	WhyMinified
	WhyBinary
	WhyData
	WhySubmodule
	WhySymlink

	// Sentences about the change as a whole: [Notices].
	NoticeChecksCut       // 0 findings beyond the limit 1
	NoticeAnalysersCut    // 0 findings beyond the limit 1
	NoticeAnalysersFailed // 0 names
	NoticeAnalysersLeft   // 0 results, 1 names
	NoticeRunsLeft        // 0 runs of documents, 1 names
	NoticeAnalysersOff
	NoticeProgramAbsent  // 0 names
	NoticeProgramSandbox // 0 names
	NoticeProgramVersion // 0 names
	NoticeProgramTime    // 0 names
	NoticeProgramMemory  // 0 names
	NoticeProgramLimit   // 0 names
	NoticeProgramOff     // 0 names
	NoticeProgramTree    // 0 names with bounds
	NoticeProgramFailed  // 0 names with exit codes
	NoticeProgramReport  // 0 names
	NoticeProgramFiles   // 0 files, 1 names
	NoticeUnexplainedModel
	NoticeUnexplainedBudget
	NoticeUnexplainedAnswer
	NoticeUnexplainedSome // 0 results
	NoticeHidden
	NoticeUnchecked    // 0 files
	NoticeSecretPrints // 0 secrets
	NoticeInstructions // 0 paths
	NoticeRules        // 0 rules, 1 tokens, 2 titles of rules
	NoticeRuleTime     // 0 titles of rules
	NoticeRulePattern  // 0 titles of rules
	NoticeRuleProgram  // 0 titles of rules
	NoticeLooks        // 0 skipped looks, 1 conversations
	NoticeLookup
	NoticeLongLines // 0 characters, 1 paths
	NoticeOutputs   // 0 paths of notebooks
	NoticeThroughHost
	NoticeHostLists        // 0 files
	NoticeGuidelinesUnread // 0 paths
	NoticeGuidelinesCut    // 0 paths
	NoticeGuidelinesSilent // 0 paths
	NoticeGuidelinesBase
	NoticeFileSettings // 0 name of the repository's settings file, 1 settings
	NoticeFileSame     // 0 name of the repository's settings file
	NoticeFileReviews  // 0 past reviews that would differ, 1 past reviews
	NoticeFileRefused  // 0 entries
	NoticeTrackers     // 0 issue trackers that did not answer
	// Why the panel did not look: 0 parts without it, 1 parts of the change.
	NoticePanelKeyGone
	NoticePanelKeyUnfit
	NoticePanelSameVendor
	NoticePanelReduced
	NoticePanelRefused
	NoticePanelQuota
	NoticePanelRate
	NoticePanelDown
	NoticePanelRequest
	NoticePanelBudget
	NoticePanelTooLong
	NoticePanelNoAnswer
	NoticePanelRoom
	NoticeSwitches // 0 places
	NoticeFiles    // 0 reviewed files, 1 other files

	// Ends of a run: [Ends].
	EndPublished
	EndPolicy
	EndSuperseded
	EndRetargeted
	EndClosed
	EndGone
	EndDisconnected
	EndCrashed
	EndError
	EndModelUnavailable
	EndModelFruitless
	EndModelRejected
	EndSlotBusy
	EndDeleted
	EndRefused
	EndWithheld
	EndRejected
	EndExpired

	// Why a run ended or did not begin, as part of a sentence: [Causes].
	SkipOff
	SkipPaused
	SkipNotOpen
	SkipDraft
	SkipOpening
	SkipPush
	SkipReady
	SkipRetarget
	SkipBot
	SkipAuthor
	SkipLabels
	SkipBranch
	SkipOnRequest
	NoAnswerWithin // 0 duration, 1 last message
	EffortRejected // 0 message

	// Acceptance criteria of tickets in a summary.
	Criteria         // above the table: 0 key, 1 number of met criteria, 2 number of criteria
	CriteriaColumns  // the head of the table
	CriterionMet     // a cell
	CriterionPartly  // a cell
	CriterionNotMet  // a cell
	CriterionUnclear // a cell
	CriterionNot     // a cell: not applicable
	CriteriaFolded   // 0 number of folded criteria
	TicketOnly       // 0 key of a ticket without further details
	TicketUnread     // 0 key, 1 why
	TicketNone       // 0 key of a ticket without criteria

	// Why a criterion is unclear: [Unjudged].
	CriterionNoModel
	CriterionBudget
	CriterionTooLong
	CriterionNoAnswer
	CriterionMany
	CriterionNoReason
	CriterionUnproven
	CriterionUnsearched
	CriterionWithheld

	// Why a finding is in the summary and not on a line: [Asides].
	AsideSize   // 0 maximum number of comments for a change of the size
	AsideFile   // 0 maximum number of comments per file
	AsideReview // 0 maximum number of comments per review
	AsideNoLine
	AsideOutside
	AsideBinary
	AsideLarge
	AsideReviewed
	AsideUnheard
	AsideSecond
	AsideMinor
	AsideLaterRound
	AsideDoubtful
	AsideIntended
)
