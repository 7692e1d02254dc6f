package domain

import (
	"fmt"
	"slices"
	"strings"
)

// Severity is the impact of a finding if it is true. Higher is worse.
type Severity uint8

// The severities, from harmless to worst.
const (
	Info Severity = iota
	Low
	Medium
	High
	Critical
)

var severityNames = [...]string{"info", "low", "medium", "high", "critical"}

// String returns the lower-case name that the interface uses.
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return "info"
}

// MarshalText returns the name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText parses a name and refuses unknown ones.
func (s *Severity) UnmarshalText(b []byte) error {
	v, ok := ParseSeverity(string(b))
	if !ok {
		return fmt.Errorf("severity must be one of %s", strings.Join(severityNames[:], ", "))
	}
	*s = v
	return nil
}

// SeverityCounts counts findings by severity.
type SeverityCounts struct {
	Critical int64 `json:"critical"`
	High     int64 `json:"high"`
	Medium   int64 `json:"medium"`
	Low      int64 `json:"low"`
	Info     int64 `json:"info"`
}

// Add adds n findings of a severity, by its name. An unknown name counts as info.
func (c *SeverityCounts) Add(severity string, n int64) { *c.of(severity) += n }

// Count returns the number of findings of a severity, by its name.
func (c SeverityCounts) Count(severity string) int64 { return *c.of(severity) }

// Total returns the number of findings of all severities.
func (c SeverityCounts) Total() int64 { return c.Critical + c.High + c.Medium + c.Low + c.Info }

func (c *SeverityCounts) of(severity string) *int64 {
	switch s, _ := ParseSeverity(severity); s {
	case Critical:
		return &c.Critical
	case High:
		return &c.High
	case Medium:
		return &c.Medium
	case Low:
		return &c.Low
	default:
		return &c.Info
	}
}

// ParseSeverity parses a severity's name in any letter case. It returns false for an unknown name.
func ParseSeverity(name string) (Severity, bool) {
	for i, n := range severityNames {
		if strings.EqualFold(n, name) {
			return Severity(i), true
		}
	}
	return Info, false
}

// Category is the subject of a finding.
type Category string

// The categories of the interface.
const (
	CategoryBug             Category = "bug"
	CategorySecurity        Category = "security"
	CategoryPerformance     Category = "performance"
	CategoryConcurrency     Category = "concurrency"
	CategoryAPI             Category = "api"
	CategoryTest            Category = "test"
	CategoryMaintainability Category = "maintainability"
	CategoryDocs            Category = "docs"
	CategoryRule            Category = "rule"
	CategorySecret          Category = "secret"
	CategoryStaticAnalysis  Category = "static-analysis"
)

// Categories lists every category in display order.
func Categories() []Category {
	return []Category{CategoryBug, CategorySecurity, CategoryPerformance, CategoryConcurrency, CategoryAPI, CategoryTest,
		CategoryMaintainability, CategoryDocs, CategoryRule, CategorySecret, CategoryStaticAnalysis}
}

// Side is the version of a file that a line number refers to.
type Side string

// The sides of a diff, in GitHub's words.
const (
	Right Side = "RIGHT" // the new version
	Left  Side = "LEFT"  // the old version
)

// Origin is the kind of check that produced a finding.
type Origin string

// The origins. All but OriginModel are deterministic.
const (
	OriginModel  Origin = "model"
	OriginStatic Origin = "static"
	OriginSecret Origin = "secret"
	OriginRule   Origin = "rule"
)

// Deterministic reports whether the same input always gives the same finding.
func (o Origin) Deterministic() bool { return o != OriginModel }

// AnchorLevel is the precision of a finding's place. It comes from validation, never from a model.
type AnchorLevel string

// The levels of an anchor.
const (
	AnchorLine AnchorLevel = "line"
	AnchorFile AnchorLevel = "file"
	AnchorPR   AnchorLevel = "pull-request"
)

// Anchor is the place of a finding.
type Anchor struct {
	Path      string      `json:"path"`
	OldPath   string      `json:"oldPath,omitempty"`
	Side      Side        `json:"side,omitempty"`
	StartLine int         `json:"startLine,omitempty"` // 1-based, in the blob of Side
	EndLine   int         `json:"endLine,omitempty"`   // inclusive
	HunkID    string      `json:"hunkId,omitempty"`    // hash of the hunk's content, without line numbers
	Symbol    string      `json:"symbol,omitempty"`    // enclosing function or type, "" if unknown
	Quote     string      `json:"quote,omitempty"`     // the quoted code, validated against the blob
	Level     AnchorLevel `json:"level"`
}

// Evidence is a quotation that supports a finding. Quote equals the text in the blob after whitespace
// normalisation.
type Evidence struct {
	Kind  string `json:"kind"` // code, rule, tool, doc, place, trace, model
	Path  string `json:"path,omitempty"`
	Start int    `json:"start,omitempty"`
	End   int    `json:"end,omitempty"`
	Quote string `json:"quote,omitempty"`
	Note  string `json:"note,omitempty"`
}

// EvidenceRule is the kind of evidence that quotes the finding's rule. With a path it quotes a sentence of
// that guideline file.
const EvidenceRule = "rule"

// EvidenceDoc is the kind of evidence that names documented behaviour, in its note, and quotes nothing.
const EvidenceDoc = "doc"

// EvidencePlace is the kind of evidence that is a further place of the same defect, with its code at the head.
const EvidencePlace = "place"

// EvidenceModel is the kind of evidence that is a model's explanation of an analyser's result, in its note. It proves nothing.
const EvidenceModel = "model"

// Suggestion replaces lines Start to End of the new version. It was tried in memory before anyone sees it.
type Suggestion struct {
	Path    string `json:"path"`
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Old     string `json:"old"`
	New     string `json:"new"`
	Applies bool   `json:"applies"` // the file keeps its structure and style
	Parses  string `json:"parses"`  // yes or no from a parser, unknown without a parser
}

// Verdict is the result of verifying a finding.
type Verdict string

// The verdicts. Deterministic findings are VerdictSkipped.
const (
	VerdictConfirmed Verdict = "confirmed"
	VerdictRefuted   Verdict = "refuted"
	VerdictUnproven  Verdict = "unproven"
	VerdictSkipped   Verdict = "skipped"
)

// Check is a verdict as the verifier gave it, whether or not its quotations prove it.
type Check struct {
	Said   Verdict `json:"said,omitempty"`   // "" where no verifier was asked or answered
	Reason string  `json:"reason,omitempty"` // "" where it repeats words of an outside tool
}

// Route is the place where a finding is shown.
type Route string

// The routes of a finding.
const (
	RouteInline  Route = "inline"
	RouteSummary Route = "summary"
	RouteStored  Route = "stored" // stored, visible in the console only
)

// FindingState is the state of a finding on one pull request.
type FindingState string

// The states of a finding.
const (
	FindingOpen       FindingState = "open"
	FindingResolved   FindingState = "resolved"   // gone from the code
	FindingDismissed  FindingState = "dismissed"  // by a person
	FindingSuppressed FindingState = "suppressed" // an accepted suppression keeps it out of reviews
	FindingOutdated   FindingState = "outdated"   // never written: a finding whose code has changed is judged again
)

// Fingerprints identify a finding across pushes. They contain no line numbers and no text from a model.
type Fingerprints struct {
	Exact   string `json:"exact"`
	Context string `json:"context"`
}

// Earlier refers to a finding's comment in a published review from before it was resolved.
type Earlier struct {
	Comment StoredID `json:"comment,omitempty"` // the host's id of its inline comment; "" for none
	URL     string   `json:"url,omitempty"`     // of that comment; "" if unknown
}

// Around holds the code around a place. It distinguishes the place from others with the same code.
type Around struct {
	Above []string `json:"above,omitempty"` // the preceding lines of code, nearest first, with single spaces; at most 4
	Below []string `json:"below,omitempty"` // the following lines, likewise
	Twins int      `json:"twins,omitempty"` // number of other places in the file with the same code
}

// Finding is a reported problem of a change.
type Finding struct {
	ID           string       `json:"id"` // stable per pull request
	Origin       Origin       `json:"origin"`
	RuleID       string       `json:"ruleId"` // stable, e.g. "llm/correctness/nil-deref", "gitleaks/aws-access-token"
	Category     Category     `json:"category"`
	Severity     Severity     `json:"severity"`
	Scope        string       `json:"scope,omitempty"` // introduced, exacerbated, pre_existing, unrelated
	Confidence   float64      `json:"confidence"`      // 0..1
	Title        string       `json:"title"`           // at most 80 characters
	Explanation  string       `json:"explanation"`
	Trigger      string       `json:"trigger,omitempty"` // the input or state that triggers the problem
	Suggestion   *Suggestion  `json:"suggestion,omitempty"`
	Evidence     []Evidence   `json:"evidence,omitempty"`
	Anchor       Anchor       `json:"anchor"`
	Fingerprints Fingerprints `json:"fingerprints"`
	Verdict      Verdict      `json:"verdict"`
	VerdictWhy   string       `json:"verdictWhy,omitempty"`
	Route        Route        `json:"route"`
	// why it is in the summary and not on a line, where the summary does not say it otherwise: a text of wording.Asides
	Aside   string       `json:"aside,omitempty"`
	MeantBy string       `json:"meantBy,omitempty"` // the author's words that say that it is meant so; "" if no words or others do
	State   FindingState `json:"state"`
	// SuppressedBy is the id of the suppression that covers the finding. The finding is suppressed if the review would
	// show it without that.
	SuppressedBy string   `json:"suppressedBy,omitempty"`
	SelfDoubt    float64  `json:"selfDoubt,omitempty"` // the generator's doubt, 0..1
	Votes        int      `json:"votes,omitempty"`     // general model passes that reported it
	Passes       int      `json:"passes,omitempty"`    // general model passes that covered its place
	Lenses       []string `json:"lenses,omitempty"`    // lenses of the passes that reported it: general, rules, security, contract
	PassNames    []string `json:"-"`                   // names of the passes of this run that reported it, such as general-2 or panel
	FoundBy      []Finder `json:"foundBy,omitempty"`   // the models that reported it; only of reviews with a panel
	Known        bool     `json:"known,omitempty"`     // a published review of this pull request shows it
	Earlier      *Earlier `json:"earlier,omitempty"`   // its earlier comment, if it was shown and resolved and no later review shows it
	Reopened     bool     `json:"reopened,omitempty"`  // a person dismissed it in this pull request, and its code has changed since
	Hunks        []string `json:"hunks,omitempty"`     // ids of hunks with the finding in earlier runs of the pull request, newest last
	Rules        []string `json:"rules,omitempty"`     // further rules under which models reported it, newest last; at most maxRules
	Around       Around   `json:"around,omitzero"`     // the code around its place in the last run with the finding
	Basis        *Basis   `json:"basis,omitempty"`     // further facts that decide its route; nil if an earlier run decided
	Names        []string `json:"-"`                   // all exact fingerprints of its row, if it was read from the store
	// CodePrints holds the earlier exact fingerprints of the code that the finding quotes now, under other rules, paths or
	// symbols, newest last; at most maxCodePrints.
	CodePrints []string `json:"codePrints,omitempty"`
	// SecretDigests holds authentication codes of the value of a secret, one for each key of the instance, the newest key
	// first. It is empty for other findings, for secret files without text, and for findings of older versions.
	SecretDigests []string `json:"secretDigests,omitempty"`
	// Subject is a digest that distinguishes findings of a check on the same lines, such as that of a permission or a host; "" if
	// the lines suffice.
	Subject string `json:"subject,omitempty"`
	// FirstPlace is a digest of the part of the subject that stays while further places come and go; "" if the subject has no such part.
	FirstPlace string `json:"firstPlace,omitempty"`
	// Doubtful means that a check is not certain that the value is a secret. The summary lists the finding, and it blocks nothing.
	Doubtful bool `json:"doubtful,omitempty"`
}

// Finder is a model that reported a finding.
type Finder struct {
	Vendor string `json:"vendor,omitempty"` // the company that makes the model; "" if unknown
	Model  string `json:"model"`
	Panel  bool   `json:"panel,omitempty"` // it is the model of the panel
}

// Basis holds the facts that decide, besides the policy and the finding's own fields, where a finding is
// shown. It is stored so that the result under another policy can be computed later.
type Basis struct {
	Mandatory  bool   `json:"mandatory,omitempty"` // a secret, or a violation of a mandatory rule
	Changed    bool   `json:"changed,omitempty"`   // its place touches a changed line
	Reviewed   bool   `json:"reviewed,omitempty"`  // its place is in a hunk that an earlier run reviewed
	Late       bool   `json:"late,omitempty"`      // it is new on code reviewed before, and not serious enough to be shown
	Touched    bool   `json:"touched,omitempty"`   // the change has lines in the symbol of its place
	Alone      bool   `json:"alone,omitempty"`     // only the second opinion confirmed it
	Unverified bool   `json:"unheard,omitempty"`   // no verifier returned a readable verdict
	Reached    bool   `json:"reached,omitempty"`   // the verifier saw inputs reach it, in code that is not a test
	Intended   bool   `json:"intended,omitempty"`  // a test, a document or the author's words say that it is meant so
	Reported   string `json:"told,omitempty"`      // where it was reported before: one of the values below; "" if it was not
	Order      int    `json:"order,omitempty"`     // of its file in the diff
	LaterRound bool   `json:"later,omitempty"`     // found in a later round, which comments on less
	FromPush   bool   `json:"fromPush,omitempty"`  // found in a later round, on code that the last push has changed
	// Threshold is the calibrated confidence that a Medium finding of the category needed; 0 if calibration had not moved it.
	Threshold float64 `json:"threshold,omitempty"`
	// Place is the place that a model gave it among results of analysers, from 1; 0 for none.
	Place int `json:"place,omitempty"`
}

// The values of [Basis.Reported].
const (
	ReportedHere      = "here"      // in an open comment on these lines
	ReportedElsewhere = "elsewhere" // in a review of another pull request
	ReportedAtPlace   = "place"     // by an earlier finding of the pull request, as a further place
)

// Shown reports whether a review shows the finding: it is open, and in a comment or the summary.
func (f Finding) Shown() bool {
	return f.State == FindingOpen && (f.Route == RouteInline || f.Route == RouteSummary)
}

// Secret reports whether a check is certain that the finding is a secret. Doubtful values do not fail the check run. Findings of
// versions without the mark are doubtful below [High].
func (f Finding) Secret() bool { return f.Origin == OriginSecret && f.Severity >= High && !f.Doubtful }

// Guideline returns the guideline file's sentence that the finding violates. It returns false if there is
// no such sentence.
func (f Finding) Guideline() (Evidence, bool) {
	i := slices.IndexFunc(f.Evidence, Evidence.guideline)
	if i < 0 {
		return Evidence{}, false
	}
	return f.Evidence[i], true
}

// Proofs returns the evidence of the finding without guideline sentences and further places.
func (f Finding) Proofs() []Evidence {
	return slices.DeleteFunc(slices.Clone(f.Evidence), func(e Evidence) bool { return e.guideline() || e.Kind == EvidencePlace })
}

// AlsoAt returns the further places of the defect.
func (f Finding) AlsoAt() []Evidence {
	return slices.DeleteFunc(slices.Clone(f.Evidence), func(e Evidence) bool { return e.Kind != EvidencePlace })
}

// ModelExplanation returns a model's explanation of an analyser's result, "" for none.
func (f Finding) ModelExplanation() string {
	i := slices.IndexFunc(f.Evidence, func(e Evidence) bool { return e.Kind == EvidenceModel })
	if i < 0 {
		return ""
	}
	return f.Evidence[i].Note
}

// WithoutDocuments returns the evidence of the finding without documented behaviour.
func (f Finding) WithoutDocuments() []Evidence {
	return slices.DeleteFunc(slices.Clone(f.Evidence), func(e Evidence) bool { return e.Kind == EvidenceDoc })
}

// Documents returns how many pieces of documented behaviour the finding rests on.
func (f Finding) Documents() int { return len(f.Evidence) - len(f.WithoutDocuments()) }

func (e Evidence) guideline() bool { return e.Kind == EvidenceRule && e.Path != "" }

// maxRules is the maximum number of further rules of a finding.
const maxRules = 5

// AddRule adds a rule under which a model reported the finding. The finding is still displayed under its
// first rule.
func (f *Finding) AddRule(ruleID string) {
	if ruleID == "" || f.HasRule(ruleID) {
		return
	}
	rules := append(slices.Clone(f.Rules), ruleID)
	f.Rules = rules[max(len(rules)-maxRules, 0):]
}

// HasRule reports whether the rule is the finding's rule or one of its further rules.
func (f Finding) HasRule(ruleID string) bool {
	return ruleID == f.RuleID || slices.Contains(f.Rules, ruleID)
}
