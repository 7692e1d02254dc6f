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

// MarshalText writes the name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a name and refuses unknown ones.
func (s *Severity) UnmarshalText(b []byte) error {
	v, ok := ParseSeverity(string(b))
	if !ok {
		return fmt.Errorf("severity must be one of %s", strings.Join(severityNames[:], ", "))
	}
	*s = v
	return nil
}

// ParseSeverity reads a severity's name, in any letter case.
func ParseSeverity(name string) (Severity, bool) {
	for i, n := range severityNames {
		if strings.EqualFold(n, name) {
			return Severity(i), true
		}
	}
	return Info, false
}

// Category is what a finding is about.
type Category string

// The categories that the interface publishes.
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

// Categories lists every category in the order in which people see them.
func Categories() []Category {
	return []Category{CategoryBug, CategorySecurity, CategoryPerformance, CategoryConcurrency, CategoryAPI, CategoryTest,
		CategoryMaintainability, CategoryDocs, CategoryRule, CategorySecret, CategoryStaticAnalysis}
}

// Side says which version of a file a line number counts in.
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

// AnchorLevel says how exactly a finding could be placed; it is the result of
// validation, never a claim of a model.
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
	Quote     string      `json:"quote,omitempty"`     // the code the finding speaks of; validated against the blob
	Level     AnchorLevel `json:"level"`
}

// Evidence is a quotation that supports a finding. Quote equals the blob after
// whitespace normalisation.
type Evidence struct {
	Kind  string `json:"kind"` // code, rule, tool, doc, trace
	Path  string `json:"path,omitempty"`
	Start int    `json:"start,omitempty"`
	End   int    `json:"end,omitempty"`
	Quote string `json:"quote,omitempty"`
	Note  string `json:"note,omitempty"`
}

// EvidenceRule is the kind of evidence that quotes the rule which a finding is about;
// with a path it is a sentence of that guideline file.
const EvidenceRule = "rule"

// Suggestion replaces lines Start to End of the new version. It was applied in
// memory before anyone sees it.
type Suggestion struct {
	Path    string `json:"path"`
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Old     string `json:"old"`
	New     string `json:"new"`
	Applies bool   `json:"applies"` // the file keeps its structure and its style with it
	Parses  string `json:"parses"`  // yes and no are the words of a parser, unknown where none was asked
}

// Verdict is what verification said of a finding.
type Verdict string

// The verdicts. Deterministic findings are VerdictSkipped.
const (
	VerdictConfirmed Verdict = "confirmed"
	VerdictRefuted   Verdict = "refuted"
	VerdictUnproven  Verdict = "unproven"
	VerdictSkipped   Verdict = "skipped"
)

// Route is where a finding is shown.
type Route string

// The routes of a finding.
const (
	RouteInline  Route = "inline"
	RouteSummary Route = "summary"
	RouteStored  Route = "stored" // kept, visible in the console only
)

// FindingState is the life of a finding on one pull request.
type FindingState string

// The states of a finding.
const (
	FindingOpen       FindingState = "open"
	FindingResolved   FindingState = "resolved"  // gone from the code
	FindingDismissed  FindingState = "dismissed" // by a person
	FindingSuppressed FindingState = "suppressed"
	FindingOutdated   FindingState = "outdated"
)

// Fingerprints identify a finding across pushes: no line numbers and no words
// of a model go into them.
type Fingerprints struct {
	Exact   string `json:"exact"`
	Context string `json:"context"`
}

// Earlier is what a published review said of a finding before it was resolved.
type Earlier struct {
	Comment StoredID `json:"comment,omitempty"` // the host's id of its inline comment, "" for none
	URL     string   `json:"url,omitempty"`     // of that comment, "" if unknown
}

// Around is what stands around a place: it tells it from others with the same code.
type Around struct {
	Above []string `json:"above,omitempty"` // the lines of code next before it, the nearest first, with single spaces; at most 4
	Below []string `json:"below,omitempty"` // those next behind it
	Twins int      `json:"twins,omitempty"` // other places of the file at which the same code stands
}

// Finding is one thing worth saying about a change.
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
	Trigger      string       `json:"trigger,omitempty"` // the input or state that makes it go wrong
	Suggestion   *Suggestion  `json:"suggestion,omitempty"`
	Evidence     []Evidence   `json:"evidence,omitempty"`
	Anchor       Anchor       `json:"anchor"`
	Fingerprints Fingerprints `json:"fingerprints"`
	Verdict      Verdict      `json:"verdict"`
	VerdictWhy   string       `json:"verdictWhy,omitempty"`
	Route        Route        `json:"route"`
	Aside        string       `json:"aside,omitempty"` // why it is in the summary and not on a line, where the summary does not say it otherwise: a text of wording.Asides
	State        FindingState `json:"state"`
	SelfDoubt    float64      `json:"selfDoubt,omitempty"` // what the generator doubted, 0..1
	Votes        int          `json:"votes,omitempty"`     // general passes of a model that reported it
	Passes       int          `json:"passes,omitempty"`    // general passes that looked where it is
	Lenses       []string     `json:"lenses,omitempty"`    // of the passes that reported it: general, rules, security, contract
	Known        bool         `json:"known,omitempty"`     // a published review of this pull request shows it
	Earlier      *Earlier     `json:"earlier,omitempty"`   // it was shown and resolved, and no review has shown it since
	Hunks        []string     `json:"hunks,omitempty"`     // ids of hunks in which earlier runs of the pull request saw it, the newest last
	Rules        []string     `json:"rules,omitempty"`     // further rules by which models have reported it, the newest last; at most maxRules
	Around       Around       `json:"around,omitzero"`     // what stood around its place when it was last seen
	Basis        *Basis       `json:"basis,omitempty"`     // what decides, beside the policy, where it is shown; nil where an earlier run has decided it
	Names        []string     `json:"-"`                   // all exact fingerprints of its row, where it was read from the store
}

// Basis is what decides, beside the policy and what the finding says of itself, where a
// finding is shown. It is kept so that another policy can be held against it later.
type Basis struct {
	Mandatory bool   `json:"mandatory,omitempty"` // a secret, or a violation of a mandatory rule
	Changed   bool   `json:"changed,omitempty"`   // its place touches a changed line
	Reviewed  bool   `json:"reviewed,omitempty"`  // its place lies in a hunk that an earlier run has reviewed
	Late      bool   `json:"late,omitempty"`      // it comes to code that was reviewed before, and is not serious enough to be said
	Touched   bool   `json:"touched,omitempty"`   // the change has lines in the symbol of its place
	Alone     bool   `json:"alone,omitempty"`     // the second opinion alone has confirmed it
	Unheard   bool   `json:"unheard,omitempty"`   // no verifier has given a verdict that can be read
	Told      string `json:"told,omitempty"`      // who has said it already: ToldHere, ToldElsewhere; "" for nobody
	Order     int    `json:"order,omitempty"`     // of its file in the diff
}

// The words of [Basis.Told].
const (
	ToldHere      = "here"      // somebody, in an open comment on these lines
	ToldElsewhere = "elsewhere" // a review of another pull request
)

// Secret reports whether a check is sure that the finding is a secret. One that it
// doubts is less severe than [High], and fails nothing by itself.
func (f Finding) Secret() bool { return f.Origin == OriginSecret && f.Severity >= High }

// Guideline is the sentence of a guideline file that the finding is about, with its
// file; false where it is about none.
func (f Finding) Guideline() (Evidence, bool) {
	i := slices.IndexFunc(f.Evidence, Evidence.guideline)
	if i < 0 {
		return Evidence{}, false
	}
	return f.Evidence[i], true
}

// Proofs are the evidence of the finding without the sentence of a guideline file.
func (f Finding) Proofs() []Evidence {
	return slices.DeleteFunc(slices.Clone(f.Evidence), Evidence.guideline)
}

func (e Evidence) guideline() bool { return e.Kind == EvidenceRule && e.Path != "" }

// maxRules bounds the further rules that a finding remembers.
const maxRules = 5

// Heard adds a rule by which a model has reported the finding. What people see
// stays under its first rule.
func (f *Finding) Heard(ruleID string) {
	if ruleID == "" || f.Under(ruleID) {
		return
	}
	rules := append(slices.Clone(f.Rules), ruleID)
	f.Rules = rules[max(len(rules)-maxRules, 0):]
}

// Under reports whether a rule is that of the finding, or one by which a model
// has reported it.
func (f Finding) Under(ruleID string) bool {
	return ruleID == f.RuleID || slices.Contains(f.Rules, ruleID)
}

// Named reports whether an exact fingerprint is a name of the finding.
func (f Finding) Named(exact string) bool {
	return exact != "" && (exact == f.Fingerprints.Exact || slices.Contains(f.Names, exact))
}
