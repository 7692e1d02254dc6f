package domain

// PublishMode determines what happens to a finished output.
type PublishMode string

// The publish modes of a repository policy.
const (
	PublishAuto        PublishMode = "auto"
	PublishApproval    PublishMode = "approval"
	PublishSummaryOnly PublishMode = "summary-only"
	PublishSilent      PublishMode = "silent"
)

// The outputs for a clean change on the host, beside its check.
const (
	CleanSummary = "summary" // a review with its summary
	CleanCheck   = "check"   // neither a review nor a comment
)

// The treatment of contributions from outside: pull requests from forks, or by authors without write
// permission on the repository.
const (
	OutsideFull      = "full"      // reviewed like all others
	OutsideReduced   = "reduced"   // reviewed with [DepthReduced]
	OutsideOnRequest = "onRequest" // reviewed when a person with write permission requests it
)

// Depth is the depth of a review.
type Depth string

// The depths of a review.
const (
	DepthFull    Depth = "full"
	DepthReduced Depth = "reduced" // at most T2, without the strong model, over the riskiest lines
)

// The maximum number of reviews with a model that events start within an hour. Reviews beyond it get
// deterministic checks only (design choice: a person who works on one pull request pushes a few times an
// hour).
const (
	AuthorReviewsPerHour  = 10 // by one author in a tenant without write permission on the repository, including bots
	OutsideReviewsPerHour = 20 // of [DepthReduced] in one repository, of all authors together
)

// Triggers holds the events of a pull request that start a review.
type Triggers struct {
	Opened          bool     `json:"opened"`
	Push            bool     `json:"push"`
	Ready           bool     `json:"ready"`
	Draft           bool     `json:"draft"`
	Labels          []string `json:"labels"`          // one of these is needed; empty if no label is needed
	TargetBranches  []string `json:"targetBranches"`  // globs; empty for every branch
	ExcludedAuthors []string `json:"excludedAuthors"` // login names, any letter case
	IncludeBots     bool     `json:"includeBots"`
}

// Policy is the review policy of a repository: RepositoryPolicyUpdate in the interface.
type Policy struct {
	Enabled             bool     `json:"enabled"`
	Triggers            Triggers `json:"triggers"`
	OutsideContributors string   `json:"outsideContributors"` // full, reduced, onRequest
	Paths               struct {
		Include []string `json:"include"`
		Exclude []string `json:"exclude"`
	} `json:"paths"`
	Profile             string            `json:"profile"` // quiet, balanced, assertive
	Categories          map[Category]bool `json:"categories"`
	MinSeverity         Severity          `json:"minSeverity"`
	MinConfidence       float64           `json:"minConfidence"`     // 0..1
	MaxInlineComments   int               `json:"maxInlineComments"` // 0..40
	PublishMode         PublishMode       `json:"publishMode"`
	ApprovalExpiryHours int               `json:"approvalExpiryHours"` // 1..720; how long a review waits if PublishMode is approval
	QuietWhenNothingNew bool              `json:"quietWhenNothingNew"`
	CleanReview         string            `json:"cleanReview"` // [CleanSummary] or [CleanCheck]
	Check               struct {
		FailOn     *Severity  `json:"failOn,omitempty"` // nil: only secrets fail the check run
		Unreviewed Unreviewed `json:"unreviewed"`       // conclusions of heads without a complete review
	} `json:"check"`
	Fixes             string `json:"fixes"`             // off, suggestions, branch, commit
	Language          string `json:"language"`          // BCP 47 tag of the comments
	UploadWaitMinutes int    `json:"uploadWaitMinutes"` // 0..10; how long a review waits for uploaded results of analysers
	Deterministic     struct {
		Secrets        bool `json:"secrets"`
		StaticAnalysis bool `json:"staticAnalysis"`
		// Analysers are the names of programs of the operator that run; empty: no program runs.
		Analysers []string `json:"analysers"`
	} `json:"deterministic"`

	RepositoryFile string `json:"repositoryFile"` // ignore, narrow, full
	GuidelineFiles bool   `json:"guidelineFiles"` // use sentences of files such as AGENTS.md as rules
	HostIssues     bool   `json:"hostIssues"`     // judge criteria of the code host's own issues
	FinderLookups  bool   `json:"finderLookups"`  // models may look up code before they report findings
	// AnalyserExplanations lets a model explain and order the results of analysers.
	AnalyserExplanations bool `json:"analyserExplanations"`

	CIAnalysis       string   `json:"ciAnalysis"`       // [CIOff], [CIRequired] or [CIAll]
	Triage           string   `json:"triage"`           // [TriageHeuristic] or [TriageModel]
	TriageLabels     bool     `json:"triageLabels"`     // set the labels that triage suggests on the pull request
	TriageLabelNames []string `json:"triageLabelNames"` // labels that triage may suggest; empty for the known ones of the repository

	// Mandatory are the files that the repository's file cannot take away; nil: it has not changed the paths.
	Mandatory *MandatoryFiles `json:"-"`

	// AnalysersOff are the analysers that the repository's file switches off for some files.
	AnalysersOff []AnalysersOff `json:"-"`
}

// AnalysersOff are names of analysers that are off for the files that a pattern of Paths matches.
type AnalysersOff struct{ Paths, Names []string }

// MandatoryFiles are the files of mandatory rules: those that a pattern of Rules matches, within the paths that the policy has
// without the repository's file.
type MandatoryFiles struct{ Include, Exclude, Rules []string }

// GuidelineSeverity is the severity of findings about a sentence of a guideline file, because such
// sentences are conventions. For more severe findings, people make a rule.
const GuidelineSeverity = Low

// DefaultPolicy returns the policy that applies if neither the tenant nor the repository sets any.
// MaxInlineComments is the engine's own upper bound.
func DefaultPolicy() Policy {
	p := Policy{
		Enabled:             true,
		Triggers:            Triggers{Opened: true, Push: true, Ready: true},
		OutsideContributors: OutsideFull,
		Profile:             "balanced",
		MinSeverity:         Info,
		MaxInlineComments:   10,
		PublishMode:         PublishAuto,
		ApprovalExpiryHours: approvalHours,
		CleanReview:         CleanSummary,
		Fixes:               "suggestions",
		Language:            "en",
		RepositoryFile:      "ignore",
		CIAnalysis:          CIOff,
		Triage:              TriageHeuristic,
		Categories:          map[Category]bool{},
	}
	for _, c := range Categories() {
		p.Categories[c] = true
	}
	p.Check.Unreviewed.Preset = PresetDefault
	p.Deterministic.Secrets = true
	p.Deterministic.StaticAnalysis = true
	return p
}

// Allows reports whether the policy wants findings of the category. It does unless the policy disables the
// category.
func (p Policy) Allows(c Category) bool {
	on, named := p.Categories[c]
	return on || !named
}
