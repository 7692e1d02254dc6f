package domain

// PublishMode says what happens to a finished output.
type PublishMode string

// The publish modes of a repository policy.
const (
	PublishAuto        PublishMode = "auto"
	PublishApproval    PublishMode = "approval"
	PublishSummaryOnly PublishMode = "summary-only"
	PublishSilent      PublishMode = "silent"
)

// What a policy gives to contributions from outside: pull requests from forks,
// and by authors who may not write to the repository.
const (
	OutsideFull      = "full"      // reviewed as all others
	OutsideReduced   = "reduced"   // reviewed with [DepthReduced]
	OutsideOnRequest = "onRequest" // reviewed when somebody who may write asks for it
)

// Depth is how deep a review looks.
type Depth string

// The depths of a review.
const (
	DepthFull    Depth = "full"
	DepthReduced Depth = "reduced" // at most T2, without the strong model, over the riskiest lines
)

// How many reviews that events start get a model within an hour; those beyond get
// deterministic checks only (design choice: a person who works on one pull
// request pushes a few times an hour).
const (
	AuthorReviewsPerHour  = 10 // of one author in a tenant who may not write to the repository, bots too
	OutsideReviewsPerHour = 20 // of [DepthReduced] in one repository, of all authors together
)

// Triggers say which events of a pull request start a review.
type Triggers struct {
	Opened          bool     `json:"opened"`
	Push            bool     `json:"push"`
	Ready           bool     `json:"ready"`
	Draft           bool     `json:"draft"`
	Labels          []string `json:"labels"`          // any of these is needed; none listed means no label is needed
	TargetBranches  []string `json:"targetBranches"`  // globs; none listed means every branch
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
	ApprovalExpiryHours int               `json:"approvalExpiryHours"` // 1..720; how long a review waits where PublishMode is approval
	QuietWhenNothingNew bool              `json:"quietWhenNothingNew"`
	Check               struct {
		FailOn *Severity `json:"failOn,omitempty"` // nil: the check run never fails, but for secrets
	} `json:"check"`
	Fixes         string `json:"fixes"`    // off, suggestions, branch, commit
	Language      string `json:"language"` // BCP 47 tag of the comments
	Deterministic struct {
		Secrets        bool `json:"secrets"`
		StaticAnalysis bool `json:"staticAnalysis"`
	} `json:"deterministic"`
	RepositoryFile string `json:"repositoryFile"` // ignore, narrow, full
	GuidelineFiles bool   `json:"guidelineFiles"` // sentences of files such as AGENTS.md are rules

	Triage           string   `json:"triage"`           // [TriageHeuristic] or [TriageModel]
	TriageLabels     bool     `json:"triageLabels"`     // the labels that triage suggests are set on the pull request
	TriageLabelNames []string `json:"triageLabelNames"` // the labels that triage may suggest; none: those of the repository whose names it knows
}

// GuidelineSeverity is the severity of what breaks a sentence of a guideline file: it
// is a convention, and whoever wants more of it makes a rule.
const GuidelineSeverity = Low

// DefaultPolicy returns what holds where neither tenant nor repository says
// anything. MaxInlineComments is the engine's own upper bound.
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
		Fixes:               "suggestions",
		Language:            "en",
		RepositoryFile:      "ignore",
		Triage:              TriageHeuristic,
		Categories:          map[Category]bool{},
	}
	for _, c := range Categories() {
		p.Categories[c] = true
	}
	p.Deterministic.Secrets = true
	p.Deterministic.StaticAnalysis = true
	return p
}

// Allows reports whether the policy wants findings of the category. A category
// that the policy does not name is wanted.
func (p Policy) Allows(c Category) bool {
	on, named := p.Categories[c]
	return on || !named
}
