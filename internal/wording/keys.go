package wording

// Key names a text. Each language has one for every key; a test says which lacks one.
type Key int

// The number in front of a comment is what stands in the places of a text: 0 is
// the number that decides between singular and plural, where there is one.
const (
	none Key = iota // no text

	// How texts are put together.

	Between   // of the parts of an enumeration
	Sentences // of two sentences on one line
	Aside     // 0 text, 1 what is said of it in parentheses
	Labelled  // 0 label, 1 what follows it
	TitleEnd  // what ends a title before a sentence
	Question  // 0 title that is asked, not stated
	NamedMore // 0 some names, 1 how many more there are
	AndMore   // 0 how many more there are of what is listed
	MoreFiles // 0 how many more files there are than the listed ones

	// What became of text from outside.

	LinkRemoved
	CutHere

	// The first sentence of a summary.

	ReviewedClean       // 0 files, 1 head
	ReviewedSoFar       // the same, incomplete
	ReviewedFound       // 0 files, 1 head, 2 open findings, 3 their severities
	ReviewedFoundSome   // the same, 4 how many are in comments
	ReviewedFoundAll    // as ReviewedFound, all are in comments
	NothingToReview     // 0 head
	NothingButFound     // 0 head, 1 open findings, 2 their severities
	NothingButFoundSome // the same, 3 how many are in comments
	NothingButFoundAll  // as NothingButFound, all are in comments
	OpenFindings        // 0 how many

	// The rest of a summary.

	WorthALook
	MinorFindings // 0 how many
	RunDetails
	StaticUnchanged // 0 findings
	LargeChange
	Reduced
	NotReviewed   // 0 counts of files
	ChecksOnly    // 0 counts of files
	Files         // 0 how many
	PullRequest   // where a finding is that has no file
	ExistedBefore // of a finding
	CameBack
	CameBackLink // 0 link
	EarlierComment
	HowToAnswer

	// A later review.

	Later         // 0 head or heads, 1 what is new
	LaterNew      // 0 findings
	LaterBack     // 0 findings
	LaterResolved // 0 earlier findings, 1 how many of them are resolved
	LaterNothing

	// A comment on lines.

	When // 0 input or state
	ByHand
	Why
	Cites      // 0 guideline file, 1 a sentence of it
	Confidence // 0 a number
	Details
	ResolvedIn   // 0 head, 1 title
	CameBackIn   // 0 head, 1 title
	CameBackHere // the same, 2 link
	SaidAgain
	MoreSerious // 0 head, 1 severity now, 2 severity before
	NotOnLines
	MoreComments
	OnLines // 0 first line, 1 last line of what a comment is about

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
	TitleClean
	TitleIncomplete
	TitleChecks
	NotLookedAt
	TitleQueued
	SayQueued
	TitleRunning
	SayRunning
	SayPublishing
	TitleApproval
	TitleApprovalBy // the same in one line alone: 0, 1 commands that approve and reject
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
	RunAgainBy // the same, where the check has no button
	BlockedBefore
	CheckOf // 0 number of a pull request, 1 target branch

	// Answers to commands.

	SayPaused
	SayResumed
	SayStill // 0 why the next push is not reviewed
	SayNotOpen
	SayRole
	SayUnknown
	SayNear       // 0 command
	SayExtra      // 0 command
	SayExtraFor   // what may follow "review"
	SayUnbuilt    // 0 command
	SayWaitsOther // 0, 1 commands that approve and reject what waits
	SayWaitsNothing
	SayOwnReview
	SayRejected
	HelpBegins
	HelpColumns // the head of a table
	HelpReview
	HelpFull
	HelpPause
	HelpResume
	HelpApprove
	HelpReject
	HelpList
	HelpUnbuilt // 0 commands

	// Why the model's part of a review is missing, in sentences.

	OnlyChecks // 0 why
	OnlyChecksUnavailable
	OnlyChecksNotConfigured
	OnlyChecksBudget
	OnlyChecksAuthor  // 0 reviews of an hour
	OnlyChecksOutside // 0 reviews of an hour
	Incomplete        // 0 clauses

	// What it lacks: [Clauses].

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

	// Why a file was not looked at, or not whole: [Reasons].

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
	WhyForm
	WhyBrokeOff
	WhyMore
	WhyBudget
	WhyWorkflow
	WhyGo
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

	NoticeChecksCut // 0 findings beyond 1
	NoticeHidden
	NoticeUnchecked    // 0 files
	NoticeInstructions // 0 paths
	NoticeRules        // 0 rules, 1 tokens, 2 titles of rules
	NoticeLooks        // 0 looks that were left out, 1 conversations
	NoticeLookup
	NoticeLongLines // 0 characters, 1 paths
	NoticeOutputs   // 0 paths of notebooks
	NoticeThroughHost
	NoticeHostLists        // 0 files
	NoticeGuidelinesUnread // 0 paths
	NoticeGuidelinesCut    // 0 paths
	NoticeGuidelinesSilent // 0 paths
	NoticeGuidelinesBase
	NoticeTrackers // 0 issue trackers that did not answer
	NoticeFiles    // 0 files that are looked at, 1 files that are not

	// How a run ended: [Ends].

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

	// Why a run ended or none began, as a part of a sentence: [Causes].

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

	Criteria         // above the table: 0 key, 1 how many are met, 2 of how many
	CriteriaColumns  // the head of the table
	CriterionMet     // a cell
	CriterionPartly  // a cell
	CriterionNotMet  // a cell
	CriterionUnclear // a cell
	CriterionNot     // a cell: not applicable
	CriteriaFolded   // 0 how many: what a click shows
	TicketOnly       // 0 key of a ticket of which nothing else is shown
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

	// Why a finding stands in the summary and not on a line: [Asides].

	AsideSize   // 0 comments that a change of the size gets
	AsideFile   // 0 comments that a file gets
	AsideReview // 0 comments that a review has at most
	AsideNoLine
	AsideOutside
	AsideBinary
	AsideLarge
	AsideReviewed
	AsideUnheard
	AsideSecond
	AsideMinor

	// What deterministic checks say: [Titles] and [Explanations].

	TitleSecret      // 0 kind
	TitleMaybeSecret // 0 kind
	TitleBidi
	TitleTag
	TitleZeroWidth
	TitlePermissions
	TitleCheckout
	TitleGo
	TitleLockHost // 0 host
	TitleLockPlain
	TitleLockGit
	TitleLockDigest
	TitleLockOther
	TitleLockChanged
	TitleConflict
	SaySecret        // 0 kind
	SayMaybeSecret   // 0 kind
	SayBidi          // 0 characters
	SayBidiMore      // the same, 1 further lines
	SayTag           // 0 characters
	SayTagMore       // the same, 1 further lines
	SayZeroWidth     // 0 characters
	SayZeroWidthMore // the same, 1 further lines
	SayPermission    // 0 permission
	SayPermissions
	SayUnrestricted
	SayCheckout
	SayGo        // 0 line, 1 message
	SayLockHost  // 0 host
	SayLockPlain // 0 host
	SayLockGit   // 0 repository
	SayLockDigest
	SayLockOther   // 0 package, 1 other package
	SayLockChanged // 0 package
	SayConflict

	keys // how many there are
)
