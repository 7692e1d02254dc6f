package wording

var englishStored = table{
	PartsReviewed:  {Other: "{0} of {1} parts of the change were reviewed"},
	GroupsVerified: {Other: "{0} of {1} groups of findings were verified"},
	FilesTooLarge:  {One: "{0} file was too large to be reviewed", Other: "{0} files were too large to be reviewed"},
	FilesUnchecked: {Other: "{0} of {1} files could not be checked"},
	FilesUnproven:  {One: "{0} file was not read that may be hand-written", Other: "{0} files were not read that may be hand-written"},
	MoreInChange:   {Other: "the change has more files"},
	BudgetUsed:     {Other: "the budget is used up"},
	NoUsableAnswer: {Other: "the model gave no usable answer (0 of {0} parts of the change)"},
	TooLong:        {Other: "the change is too long for the model's context (0 of {0} parts)"},
	SomeParts:      {Other: "some parts were not reviewed"},

	WhyLargeChange:       {Other: "change too large for a model"},
	WhyLargeFile:         {Other: "file too large: only changed lines looked at"},
	WhyManyFiles:         {Other: "beyond the files that are read through the code host: only changed lines looked at"},
	WhyNotSelected:       {Other: "not among the riskiest lines of a large change"},
	WhyReduced:           {Other: "reduced review"},
	WhyExcluded:          {Other: "excluded by the policy"},
	WhyNotIncluded:       {Other: "not included by the policy"},
	WhyUnchecked:         {Other: "could not be checked within bounds"},
	WhyUncheckedFile:     {Other: "file could not be checked within bounds: only changed lines looked at"},
	WhyChecksOnly:        {Other: "deterministic checks only"},
	WhyTooLong:           {Other: "too long for the model"},
	WhyTooMuch:           {Other: "change too large"},
	WhyNoAnswer:          {Other: "the model gave no usable answer"},
	WhyFault:             {Other: "not checked: a fault of the program ended the review of this part"},
	WhyForm:              {Other: "findings of the model could not be read"},
	WhyBrokeOff:          {Other: "the model's answer broke off"},
	WhyMore:              {Other: "the model found more than one answer may hold"},
	WhyBudget:            {Other: "the budget for models is used up"},
	WhyWorkflow:          {Other: "workflow too large or nested too deeply to be checked"},
	WhyRuleBroken:        {Other: "faults of syntax, so that rules with a pattern of code were not matched"},
	WhyRuleBound:         {Other: "too large or not at hand, so that rules with a pattern were not matched everywhere"},
	WhyGo:                {Other: "too large or nested too deeply to be parsed"},
	WhyCut:               {Other: "more findings than one review lists"},
	WhySecrets:           {Other: "more secrets than can be replaced in a prompt"},
	WhyBinaryText:        {Other: "more text in binary files than is searched for secrets"},
	WhyMarked:            {Other: "generated, as only this change says"},
	WhyMinifiedHere:      {Other: "minified, as only this change says"},
	WhyUnproven:          {Other: "named like generated code, which nothing in it confirms"},
	WhyVendoredHere:      {Other: "vendored, as only this change says"},
	WhyVendoredEdit:      {Other: "vendored, and changed without its list of packages"},
	WhyByMark:            {Other: "generated, as its own mark says"},
	WhyLFS:               {Other: "its content is kept in Git LFS and was not read"},
	WhyLongData:          {Other: "only the beginning of long lines of data shown"},
	WhyOutputs:           {Other: "outputs of a notebook not shown"},
	WhyDeleted:           {Other: "deleted"},
	WhyNoLine:            {Other: "no line changed"},
	WhyWasText:           {Other: "was text and cannot be read as text any more"},
	WhyNoText:            {Other: "cannot be read as text, although a program may run it"},
	WhyOmittedLarge:      {Other: "change larger than allowed"},
	WhyOmittedByHost:     {Other: "change not shown by the host"},
	WhyOmittedUnreadable: {Other: "change not readable as the host gives it"},
	WhyOmittedPath:       {Other: "a path that no checkout can have"},
	WhyDocs:              {Other: "docs"},
	WhyGenerated:         {Other: "generated"},
	WhyVendored:          {Other: "vendored"},
	WhyLock:              {Other: "lock"},
	WhyMinified:          {Other: "minified"},
	WhyBinary:            {Other: "binary"},
	WhyData:              {Other: "data"},
	WhySubmodule:         {Other: "submodule"},
	WhySymlink:           {Other: "symlink"},

	NoticeChecksCut:       {Other: "The checks found {0} more than the {1} findings that one review lists."},
	NoticeAnalysersCut:    {Other: "The analysers found {0} more than the {1} findings that one review lists."},
	NoticeAnalysersFailed: {Other: "These analysers report that they did not finish: {0}. Their results can be incomplete."},
	NoticeAnalysersLeft: {One: "{0} result of analysers ({1}) is not in this review. The page of the run names the reason.",
		Other: "{0} results of analysers ({1}) are not in this review. The page of the run names the reasons."},
	NoticeUnexplainedModel: {Other: "No model explains the results of analysers in this review, because none took part or the " +
		"review is reduced."},
	NoticeUnexplainedBudget: {Other: "No model explains the results of analysers in this review, because a budget or a limit is used up."},
	NoticeUnexplainedAnswer: {Other: "No model explains the results of analysers in this review, because its answer was missing or " +
		"not usable."},
	NoticeUnexplainedSome: {One: "{0} result of analysers has no explanation: the model gave none that can be shown.",
		Other: "{0} results of analysers have no explanation: the model gave none that can be shown, or there " +
			"were too many for one call."},
	NoticeAnalysersOff: {Other: "The results of analysers were not used, because the setting `deterministic.staticAnalysis` is off."},
	NoticeHidden:       {Other: "The title or description holds characters that people do not see; models did not get them."},
	NoticeSecretPrints: {One: "{0} secret is shown again: its suppression is of a version that did not compare the " +
		"values of secrets. Suppress it again to leave it out.",
		Other: "{0} secrets are shown again: their suppressions are of a version that did not " +
			"compare the values of secrets. Suppress them again to leave them out."},
	NoticeUnchecked: {One: "{0} file could not be checked within bounds of memory and time; no model saw it.",
		Other: "{0} files could not be checked within bounds of memory and time; no model saw them."},
	NoticeInstructions: {Other: "The change edits instructions for automatic reviewers or assistants. This review follows the " +
		"version of the base branch; a person should read the new one: {0}."},
	NoticeRules: {Other: "More rules concern this change than fit into one question ({0}, or {1} tokens); not all were " +
		"checked everywhere: {2}."},
	NoticeRuleTime: {Other: "These rules were not matched against the whole change, because matching took too long: {0}."},
	NoticeRulePattern: {Other: "These rules were not checked, because their patterns cannot be read: {0}. Edit " +
		"them on the page of rules."},
	NoticeRuleProgram: {Other: "These rules were not checked, because ast-grep is not set up, cannot run here, or " +
		"failed: {0}. The operator can run assay doctor."},
	NoticeLooks: {One: "{0} look at a part of this change was left out: a review of its depth has at most {1} " +
		"conversations with models.", Other: "{0} looks at parts of this change were left out: a review of its depth has at most {1} " +
		"conversations with models."},
	NoticeLookup:    {Other: "Some relations of other files to this change could not be looked up."},
	NoticeLongLines: {Other: "Only the first {0} characters of longer lines were reviewed by a model in: {1}."},
	NoticeOutputs:   {Other: "Outputs, attachments or metadata of notebooks have changed that no model was shown: {0}."},
	NoticeThroughHost: {Other: "The repository is beyond the bounds within which git reads it here; the change was read " +
		"through the code host instead."},
	NoticeHostLists: {Other: "The host lists the first {0} files of this change only; the others were not looked at."},
	NoticeGuidelinesUnread: {Other: "Guideline files that were not read (links, too large, not text, not listed, or with a head " +
		"that cannot be understood): {0}."},
	NoticeGuidelinesCut: {Other: "Guideline files that were not read whole, because a review reads 8 KB of each and 24 KB in all: {0}."},
	NoticeGuidelinesSilent: {Other: "Guideline files that were not held against the change, because no model answered or the budget " +
		"is used up: {0}."},
	NoticeGuidelinesBase: {Other: "The guideline files of the base branch could not be read; the change was not held against them."},
	NoticeFileSettings:   {Other: "Once merged, the new version of {0} changes: {1}."},
	NoticeFileSame:       {Other: "Once merged, the new version of {0} changes no setting and no rule."},
	NoticeFileReviews:    {Other: "{0} of the last {1} reviews would have shown their findings differently, as far as stored findings tell."},
	NoticeFileRefused:    {Other: "Entries of the new version that would have no effect: {0}"},
	NoticeTrackers: {One: "{0} issue tracker did not answer, so that this review may lack issues that the change belongs to.",
		Other: "{0} issue trackers did not answer, so that this review may lack issues that the change belongs to."},
	NoticePanelKeyGone: {Other: "The panel did not look: its model key is gone or cannot be used " +
		"({0} of {1} parts of the change)."},
	NoticePanelKeyUnfit: {Other: "The panel did not look: the model policy does not allow the region of its model key " +
		"({0} of {1} parts of the change)."},
	NoticePanelSameVendor: {Other: "The panel did not look: its model is of the same vendor as that of another tier " +
		"({0} of {1} parts of the change)."},
	NoticePanelReduced: {Other: "The panel did not look: a change from outside gets a reduced review " +
		"({0} of {1} parts of the change)."},
	NoticePanelRefused: {Other: "The panel did not look: its provider refused the model key " +
		"({0} of {1} parts of the change)."},
	NoticePanelQuota: {Other: "The panel did not look: the account at its provider has no credit left " +
		"({0} of {1} parts of the change)."},
	NoticePanelRate: {Other: "The panel did not look: its provider limits the rate of calls " +
		"({0} of {1} parts of the change)."},
	NoticePanelDown: {Other: "The panel did not look: its provider did not answer " +
		"({0} of {1} parts of the change)."},
	NoticePanelRequest: {Other: "The panel did not look: its provider refused the request " +
		"({0} of {1} parts of the change)."},
	NoticePanelBudget: {Other: "The panel did not look: the budget or a limit has no room for its calls " +
		"({0} of {1} parts of the change)."},
	NoticePanelTooLong: {Other: "The panel did not look: the text is too long for its model " +
		"({0} of {1} parts of the change)."},
	NoticePanelNoAnswer: {Other: "The panel did not look: its model gave no usable answer " +
		"({0} of {1} parts of the change)."},
	NoticePanelRoom: {Other: "The panel did not look: a review of this depth has no conversations left for it " +
		"({0} of {1} parts of the change)."},
	NoticeFiles: {Other: "The change is of more files than the {0} that are looked at; {1} were left out."},

	EndPublished:        {Other: "The review is published."},
	EndPolicy:           {Other: "The policy of this repository does not ask for a review here."},
	EndSuperseded:       {Other: "A newer head arrived, which has its own run."},
	EndRetargeted:       {Other: "The target branch changed, and the review onto the new one has its own run."},
	EndClosed:           {Other: "The pull request was closed or became a draft."},
	EndGone:             {Other: "The host does not show the pull request any more."},
	EndDisconnected:     {Other: "The repository is not connected any more."},
	EndCrashed:          {Other: "The review stopped its workers again and again, so this head is not tried again by itself."},
	EndError:            {Other: "The review could not be finished."},
	EndModelUnavailable: {Other: "No model answered, and the deterministic checks found nothing."},
	EndModelFruitless:   {Other: "No answer of the model could be used, and the deterministic checks found nothing."},
	EndModelRejected:    {Other: "The provider of the model refuses the reasoning effort that is set."},
	EndSlotBusy: {Other: "A draft of a review that is not ours is open in our name on the pull request; the host takes a " +
		"second one only after that one is submitted or deleted."},
	EndDeleted:  {Other: "A person deleted the draft of the review before it was published."},
	EndRefused:  {Other: "The host refuses the text of the review."},
	EndWithheld: {Other: "The review quotes an issue that must not be shown here any more, and the host does not allow changes of its draft."},
	EndRejected: {Other: "The review was rejected before it was published."},
	EndExpired:  {Other: "The review was not approved in time."},

	SkipOff:      {Other: "reviews are off for this repository"},
	SkipPaused:   {Other: "reviews of this pull request are paused"},
	SkipNotOpen:  {Other: "the pull request is not open"},
	SkipDraft:    {Other: "the pull request is a draft"},
	SkipOpening:  {Other: "opening a pull request does not start a review here"},
	SkipPush:     {Other: "a push does not start a review here"},
	SkipReady:    {Other: "becoming ready does not start a review here"},
	SkipRetarget: {Other: "another target branch does not start a review here"},
	SkipBot:      {Other: "the author is a bot"},
	SkipAuthor:   {Other: "the author is excluded"},
	SkipLabels:   {Other: "none of the labels that ask for a review is set"},
	SkipBranch:   {Other: "the target branch is not one that is reviewed"},
	SkipOnRequest: {Other: "it comes from outside, and such pull requests are reviewed here when a person with write access to the " +
		"repository comments `/assay review`"},
	NoAnswerWithin: {Other: "it did not answer within {0}; last it said: {1}"},
	EffortRejected: {Other: "the model provider rejected the reasoning effort: {0}"},

	CriterionNoModel:    {Other: "No model looked at it."},
	CriterionBudget:     {Other: "The budget for models is used up."},
	CriterionTooLong:    {Other: "It is too long for the model."},
	CriterionNoAnswer:   {Other: "The model gave no usable answer."},
	CriterionMany:       {Other: "A review judges no more criteria than it has judged before this one."},
	CriterionNoReason:   {Other: "The model gave no reason."},
	CriterionUnproven:   {Other: "No code was quoted that stands in the head and does it."},
	CriterionUnsearched: {Other: "It was called missing without looking for it."},
	CriterionWithheld:   {Other: "The reason repeats the issue, so it is not shown."},

	AsideSize: {One: "beyond the {0} comment that a change of this size gets",
		Other: "beyond the {0} comments that a change of this size gets"},
	AsideFile:       {One: "beyond the {0} comment that a file gets", Other: "beyond the {0} comments that a file gets"},
	AsideReview:     {One: "beyond the {0} comment that a review may have", Other: "beyond the {0} comments that a review may have"},
	AsideNoLine:     {Other: "not about a line"},
	AsideOutside:    {Other: "its lines are not shown in the diff"},
	AsideBinary:     {Other: "a binary file has no lines"},
	AsideLarge:      {Other: "the diff of the file is too large"},
	AsideReviewed:   {Other: "on lines that an earlier review has read"},
	AsideUnheard:    {Other: "the model gave no answer that verifies it"},
	AsideSecond:     {Other: "confirmed by a second opinion alone"},
	AsideMinor:      {Other: "maintainability and docs get no comments on lines"},
	AsideLaterRound: {Other: "found in a later round"},
	AsideDoubtful:   {Other: "it may not be a secret"},
	AsideIntended:   {Other: "meant so, by the words of the change"},

	TitleSecret:       {Other: "Remove the committed secret: {0}"},
	TitleMaybeSecret:  {Other: "Check a value that might be a secret: {0}"},
	TitleBidi:         {Other: "Remove bidirectional control characters"},
	TitleTag:          {Other: "Remove invisible tag characters"},
	TitleZeroWidth:    {Other: "Remove invisible characters"},
	TitlePermissions:  {Other: "The workflow's token gets wider permissions"},
	TitleCheckout:     {Other: "A privileged workflow checks out the pull request's code"},
	TitleGo:           {Other: "The Go file does not parse"},
	TitleLockHost:     {Other: "Check the new source of locked packages: {0}"},
	TitleLockPlain:    {Other: "Fetch locked packages over HTTPS"},
	TitleLockGit:      {Other: "Check the locked package that comes from a Git repository"},
	TitleLockDigest:   {Other: "Restore the digest of the locked package"},
	TitleLockOther:    {Other: "Check the locked package that is fetched as another one"},
	TitleLockChanged:  {Other: "Check why the digest of a locked version changed"},
	TitleDockerAdd:    {Other: "Give the remote file of ADD a checksum"},
	TitleDockerPipe:   {Other: "Check a download before it runs"},
	TitleDockerArg:    {Other: "Pass the secret {0} as a secret mount"},
	TitleDockerEnv:    {Other: "Keep the secret {0} out of the image"},
	TitleDockerTag:    {Other: "Name a version of the image {0}"},
	TitleDockerRoot:   {Other: "Run the container as another user than root"},
	TitleInjection:    {Other: "Text from outside becomes part of a script"},
	TitleMovingAction: {Other: "Pin the action {0} to a commit"},
	TitleLint:         {Other: "Correct the fault in the workflow ({0})"},
	TitleConflict:     {Other: "Resolve the merge conflict markers"},
	SayMaybeSecret: {Other: "This value has the look of a secret ({0}) by the name beside it alone, and it stands where samples are " +
		"usual or varies little. " +
		"It does not fail the check. If it opens anything, revoke it and read a new one from the environment or a secret store."},
	SayUnrestricted: {Other: "This change takes away the \"permissions\" that restricted the job token. " +
		"It now gets the default of the repository, which can be write access to everything. Put the block back, with what the jobs need."},
	SaySecret: {Other: "This change adds what looks like a secret ({0}). Every reader of the repository, its forks or its history " +
		"can use it. " +
		"Revoke it and make a new one: removing the line alone does not take it out of the history. Then read it from the environment " +
		"or a secret store."},
	SayBidi: {Other: "This change adds characters that change the order in which text is shown, so that code reads differently from " +
		"how it runs ({0}). " +
		"Remove them, or write them as escapes where a program needs them."},
	SayBidiMore: {Other: "This change adds characters that change the order in which text is shown, so that code reads differently " +
		"from how it runs ({0}). " +
		"Further lines: {1}. Remove them, or write them as escapes where a program needs them."},
	SayTag: {Other: "This change adds tag characters or variation selectors that can carry a hidden text, for instance instructions " +
		"to a language model ({0}). " +
		"Remove them, or write them as escapes where a program needs them."},
	SayTagMore: {Other: "This change adds tag characters or variation selectors that can carry a hidden text, for instance " +
		"instructions to a language model ({0}). " +
		"Further lines: {1}. Remove them, or write them as escapes where a program needs them."},
	SayZeroWidth: {Other: "This change adds characters without width, so that two names which look equal can differ ({0}). " +
		"Remove them, or write them as escapes where a program needs them."},
	SayZeroWidthMore: {Other: "This change adds characters without width, so that two names which look equal can differ ({0}). " +
		"Further lines: {1}. Remove them, or write them as escapes where a program needs them."},
	SayPermission: {Other: "This change gives the job token {0}, which it did not have before. Every step and every action of the " +
		"job can use it. " +
		"Grant it only to the job that needs it."},
	SayPermissions: {Other: "This change gives the job token write access to everything (\"write-all\"), which it did not have " +
		"before. Every step and every action of the job can use it. " +
		"Grant it only to the job that needs it."},
	SayCheckout: {Other: "A workflow started by \"pull_request_target\" or \"workflow_run\" has the repository's secrets and a " +
		"writable token, and here it checks out the " +
		"head of the pull request. Anyone who can open a pull request can then run code with them. Use the trigger \"pull_request\", " +
		"or do not check out the head."},
	SayGo: {Other: "The Go parser stops at line {0}: {1}. The package will not build."},
	SayLockHost: {Other: "This change makes the lock file take packages from {0}. The file does not name that source at the " +
		"base, and it is not a public registry. Packages are installed from where the lock file says, whatever the manifest names. " +
		"Make the lock file again with the package manager, or confirm that the host is yours."},
	SayLockPlain: {Other: "This change makes the lock file fetch from {0} without encryption, so that anyone on the way can " +
		"replace the package. Name the address with https."},
	SayLockGit: {Other: "This change makes the lock file take a package from the Git repository {0}, which the file does not " +
		"name at the base. No registry checks what is there. Use a released version, or confirm that the repository is the right one."},
	SayLockDigest: {Other: "This change adds or moves a package in the lock file without a digest, while other packages have one. " +
		"Without it the package manager installs whatever the server sends. Make the lock file again with the package manager."},
	SayLockOther: {Other: "This change makes the lock file fetch {1} for the package {0}. The package manager installs the " +
		"archive that the address names, whatever the manifest says. Make the lock file again with the package manager, or confirm " +
		"that an alias is meant."},
	SayLockChanged: {Other: "This change gives {0} another digest without another version or address. A published version does not " +
		"change its content, so that someone replaced the package or the digest was edited. Make the lock file again with the package " +
		"manager, and compare the digest with that of the registry."},
	SayDockerAdd: {Other: "This ADD fetches from an address without a checksum, so that the image gets whatever the server sends at the " +
		"time of the build. Add \"--checksum=sha256:…\" to the instruction, or name the full commit of a Git repository."},
	SayDockerPipe: {Other: "This command gives a download straight to an interpreter. The server decides what runs in the build, and a " +
		"download that breaks off runs in part. Save the file, compare its checksum and then run it, or install a " +
		"package of a fixed version."},
	SayDockerArg: {Other: "The build argument {0} has the name of a secret. The history of an image and the record of its build can show " +
		"the values of build arguments. Use \"RUN --mount=type=secret\" instead."},
	SayDockerEnv: {Other: "This change puts a value for {0} into the environment of the image. Everyone who can pull the image can read " +
		"it, even if a later instruction changes it. Pass it when the container starts, or use \"RUN " +
		"--mount=type=secret\" in the build. If the value opens anything, replace it."},
	SayDockerTag: {Other: "The image {0} is named without a version, so that each build can get another one and no build can be repeated. " +
		"Name a tag with a version, or better a digest."},
	SayDockerRoot: {Other: "The last stage of this Dockerfile starts its program as root, so that a fault in the program gives every right " +
		"in the container. Create a user and name it with USER."},
	SayInjection: {Other: "The expression {0} puts text into a script that a person from outside can choose, for instance a title or the " +
		"name of a branch. GitHub inserts the text before the script is read, so that it can run commands with the " +
		"token and the secrets of the job. Put it into a variable under \"env\", and use the variable in quotes."},
	SayMovingAction: {Other: "The action {0} is named by {1}, which can be moved to other code by its owner, or by an attacker with the " +
		"owner's account. That code runs with the token and the secrets of the job. Name the full commit, with the " +
		"version in a comment."},
	SayLint: {Other: "The analyser actionlint reports for this workflow: {0}. The workflow can fail, or do something other than its " +
		"text suggests. Correct the line."},
	SayAnalyser: {Other: "The analyser {0} reports under its rule {1}: {2}."},
	SayRulePlaces: {One: "{0} more place of this change matches this rule. {1}",
		Other: "{0} more places of this change match this rule. {1}"},
	SayConflict: {Other: "This change adds the markers of an unfinished merge (\"<<<<<<<\" and \">>>>>>>\"). Choose one side and " +
		"delete the markers."},
	TitleGoPattern: {Other: "This Go code is wrong for every input: {0}"},
	SayGoFormat: {Other: "The number of arguments in the call of {0} is {1}, but its format takes {2}. The output then contains `%!` " +
		"and a note instead of the values. Make the format and the arguments agree."},
	SayGoUnused: {Other: "{0} only returns a value, and this statement discards it, so that the statement does nothing. " +
		"Use the value, or delete the statement."},
	SayGoSame: {Other: "{0} stands on both sides, so that the operation has no effect or a fixed result. One side " +
		"probably names the wrong variable."},
	SayGoConstant: {Other: "The condition {0} has the same result for every value, so that one branch never runs. Check " +
		"its operators and constants."},
	SayGoRepeated: {Other: "An earlier branch has the same condition {0}, so that this branch never runs. Correct one of " +
		"the two, or delete this branch."},
	SayGoLock: {Other: "This line defers {0} a second time instead of the unlock. The lock is not released, and a mutex " +
		"blocks here forever. Defer the unlock."},
	SayGoRecover: {Other: "`recover` stops a panic only if a deferred function calls it. Deferred itself, it has no " +
		"effect, and the panic goes on. Call it within `defer func() { … }()`."},
	SayGoLateAdd: {Other: "This goroutine adds itself to {0} after its start. `Wait` can return before that and does not " +
		"wait for it. Call `Add` before the `go` statement."},
	SayGoTag: {Other: "The tag of this field does not have the form that package `reflect` reads for {0}, or repeats the " +
		"key. The program ignores that part. Write `key:\"value\"` pairs with one space between them."},
	SayGoName: {Other: "Two fields of this struct have the JSON name {0}. Package `encoding/json` leaves out both " +
		"without an error. Give each field a name of its own."},
	SayGoBody: {Other: "If the call fails, {0} is nil, and this line panics before the error is checked. Check the error " +
		"first."},
	TitleMigrationDrop:  {Other: "The migration deletes {0} with its data"},
	TitleMigrationNull:  {Other: "The new column {0} has no value for existing rows"},
	TitleMigrationIndex: {Other: "Build the index on {0} without blocking writes"},
	SayMigrationDrop: {Other: "This migration removes {0}, and undoing the release does not bring its data back. " +
		"Programs of the earlier version that still run fail when they use it. Remove it in a later release than the last code " +
		"that uses it, and keep a backup."},
	SayMigrationNull: {Other: "The column {0} is NOT NULL and has no default, so that this statement fails as soon as " +
		"{1} has a row. Give it a default, or add it as nullable, fill it, and then set NOT NULL."},
	SayMigrationIndex: {Other: "PostgreSQL blocks every write to {0} while it builds this index. Use `CREATE INDEX " +
		"CONCURRENTLY` in a migration that runs outside a transaction."},
	TitleManifestLock:     {Other: "The lock file does not match the manifest: {0}"},
	TitleInstallScript:    {Other: "Check the new install script: {0}"},
	TitleManifestSource:   {Other: "Check the dependency from outside a registry: {0}"},
	TitleManifestRegistry: {Other: "Check the new package registry: {0}"},
	SayManifestMissing: {Other: "The manifest names {0}, and {1} does not have it. An installation from the lock file " +
		"fails or takes a version that was not reviewed. Run the package manager and commit both files."},
	SayManifestVersion: {Other: "The manifest asks for {0} {1}, and the lock file was made for {2}. An installation from " +
		"the lock file fails or takes another version than the manifest says. Run the package manager and commit both files."},
	SayInstallScript: {Other: "With this change, {0} runs a script during the installation, with the rights and secrets " +
		"of every machine that installs it. The base does not run it. Read the script before you merge."},
	SayManifestSource: {Other: "This change takes {0} from {1} and not from a registry, where a released version cannot " +
		"change. Use a released version, or confirm that the address is the right one and name a full commit or a digest."},
	SayManifestRegistry: {Other: "This change names the registry {0}, which the file does not name at the base and which " +
		"is not a public one. A package with the same name there can replace the one that you mean. Confirm that the registry " +
		"is yours."},
	NoticeSwitches: {Other: "New comments switch findings of analysers off: {0}."},
	SaySecretOld: {Other: "This change adds what looks like a secret ({0}), and the base has the same value already. " +
		"Every reader of the repository can use it. Revoke it and make a new one, then remove it from every place and read it " +
		"from the environment or a secret store."},
	SayMaybeSecretOld: {Other: "This value has the look of a secret ({0}) by the name beside it alone, and the base has the same value " +
		"already. It does not fail the check. If it opens anything, revoke it and remove it from every place."},
}
