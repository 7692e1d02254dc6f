package policy

import (
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/regexp"
)

// RepositoryPolicyUpdate holds the policy settings of one level: a tenant's repository defaults, or a
// repository. Absent fields are inherited. An empty list is a value: it means no entries.
type RepositoryPolicyUpdate struct {
	Enabled             *bool             `json:"enabled,omitempty" audit:"track" doc:"Pull requests are reviewed"`
	Triggers            *TriggersUpdate   `json:"triggers,omitempty" audit:"track" doc:"Which events start a review"`
	OutsideContributors *string           `json:"outsideContributors,omitempty" enum:"full,reduced,onRequest" audit:"track" doc:"Review of pull requests from a fork, or from an author without write access to the repository: a review like all others (full), a smaller one without the strong model (reduced), or none until a person with write access asks by /assay review (onRequest). Without a setting: reduced in public repositories, full in others"`
	Paths               *PathsUpdate      `json:"paths,omitempty" audit:"track" doc:"Which files are reviewed"`
	Profile             *string           `json:"profile,omitempty" enum:"quiet,balanced,assertive" audit:"track" doc:"How sure a finding must be to become a comment"`
	Categories          *CategoriesUpdate `json:"categories,omitempty" audit:"track" doc:"Which kinds of findings are wanted"`
	MinSeverity         *string           `json:"minSeverity,omitempty" enum:"critical,high,medium,low,info" audit:"track" doc:"Findings below it are stored and not published"`
	MinConfidence       *float64          `json:"minConfidence,omitempty" minimum:"0" maximum:"1" audit:"track" doc:"Findings of a model below it are stored and not published"`
	MaxInlineComments   *int              `json:"maxInlineComments,omitempty" minimum:"0" maximum:"40" audit:"track" doc:"Most comments on lines that one review makes"`
	PublishMode         *string           `json:"publishMode,omitempty" enum:"auto,approval,summary-only,silent" audit:"track" doc:"Handling of a finished review: published (auto), held until a person approves it (approval), published without comments on lines (summary-only), or kept here (silent)"`
	ApprovalExpiryHours *int              `json:"approvalExpiryHours,omitempty" minimum:"1" maximum:"720" audit:"track" doc:"How many hours a review waits for approval, where publishMode is approval; then it expires, and nothing is published"`
	QuietWhenNothingNew *bool             `json:"quietWhenNothingNew,omitempty" audit:"track" doc:"A further review that found nothing new edits the summary instead of adding a review"`
	CleanReview         *string           `json:"cleanReview,omitempty" enum:"summary,check" audit:"track" doc:"What a clean change gets: a summary, or its check only"`
	Check               *CheckUpdate      `json:"check,omitempty" audit:"track" doc:"The outcome on the pull request"`
	Fixes               *string           `json:"fixes,omitempty" enum:"off,suggestions,branch,commit" audit:"track" doc:"How far a fix may go: no fix run (off), blocks in the comments (suggestions), also a pull request into the branch (branch), also a commit on it (commit)"`
	Language            *string           `json:"language,omitempty" minLength:"2" maxLength:"35" example:"en" audit:"track" doc:"Language of the comments, as a tag of BCP 47"`

	UploadWaitMinutes *int `json:"uploadWaitMinutes,omitempty" minimum:"0" maximum:"10" audit:"track" doc:"Minutes to wait for uploads"`

	Deterministic *ChecksUpdate `json:"deterministic,omitempty" audit:"track" doc:"Checks that need no model"`

	RepositoryFile       *string  `json:"repositoryFile,omitempty" enum:"ignore,narrow,full" audit:"track" doc:"What .assay.yaml of the base branch may change: nothing (ignore), only towards less (narrow), or all settings that the file may have, and rules (full). Locked settings stay"`
	GuidelineFiles       *bool    `json:"guidelineFiles,omitempty" audit:"track" doc:"Sentences of guideline files of the base branch, such as AGENTS.md, that a line of code can break are rules of severity low. A model of the tier fast picks them, once for each text"`
	HostIssues           *bool    `json:"hostIssues,omitempty" audit:"track" doc:"Issues closed by words such as Closes #12 count"`
	FinderLookups        *bool    `json:"finderLookups,omitempty" audit:"track" doc:"Models may look up code before they report findings, four times in a pass, at depth T2 and above and not in reduced reviews. It may find more if the answer depends on code that the prompt lacks, and it costs more input"`
	AnalyserExplanations *bool    `json:"analyserExplanations,omitempty" audit:"track" doc:"Models explain results of analysers"`
	CIAnalysis           *string  `json:"ciAnalysis,omitempty" enum:"off,required,all" audit:"track" doc:"Failed jobs that are explained"`
	Triage               *string  `json:"triage,omitempty" enum:"heuristic,model" audit:"track" doc:"How the first look at a pull request finds out what kind of change it is, which areas it touches and which labels fit: by paths and numbers of lines (heuristic), or with the model of the tier fast (model)"`
	TriageLabels         *bool    `json:"triageLabels,omitempty" audit:"track" doc:"Sets the labels that the first look suggests on the pull request, each once, so that a label that a person removes stays away. Never with publishMode silent"`
	TriageLabelNames     []string `json:"triageLabelNames,omitzero" maxItems:"50" example:"[\"documentation\"]" audit:"track" doc:"Labels that may be suggested, made in the repository where it lacks them; none: those of the repository's own whose names say a kind of change, a size, a risk or an area"`
}

// TriggersUpdate are the triggers of a [RepositoryPolicyUpdate].
type TriggersUpdate struct {
	Opened          *bool    `json:"opened,omitempty" doc:"Opening or reopening starts a review"`
	Push            *bool    `json:"push,omitempty" doc:"A push to the pull request starts a review"`
	Ready           *bool    `json:"ready,omitempty" doc:"A draft that becomes ready starts a review"`
	Draft           *bool    `json:"draft,omitempty" doc:"Drafts are reviewed, too"`
	Labels          []string `json:"labels,omitzero" maxItems:"50" example:"[\"review\"]" doc:"One of these is needed; none: no label is"`
	TargetBranches  []string `json:"targetBranches,omitzero" maxItems:"50" example:"[\"main\"]" doc:"Patterns of branches that pull requests go into; none: every branch"`
	ExcludedAuthors []string `json:"excludedAuthors,omitzero" maxItems:"200" example:"[\"octocat\"]" doc:"Login names whose pull requests are not reviewed, in any letter case"`
	IncludeBots     *bool    `json:"includeBots,omitempty" doc:"Pull requests by bots are reviewed, too"`
}

// PathsUpdate are the paths of a [RepositoryPolicyUpdate].
type PathsUpdate struct {
	Include []string `json:"include,omitzero" maxItems:"100" example:"[\"src/**\"]" doc:"Path patterns of reviewed files; none: every file"`
	Exclude []string `json:"exclude,omitzero" maxItems:"100" example:"[\"vendor/**\"]" doc:"Path patterns of files that are not"`
}

// CategoriesUpdate are the categories of a [RepositoryPolicyUpdate].
type CategoriesUpdate struct {
	Bug             *bool `json:"bug,omitempty" doc:"Code that does the wrong thing"`
	Security        *bool `json:"security,omitempty" doc:"Code that lets people do things without permission"`
	Performance     *bool `json:"performance,omitempty" doc:"Code that is needlessly slow or large"`
	Concurrency     *bool `json:"concurrency,omitempty" doc:"Races, deadlocks, lost updates"`
	API             *bool `json:"api,omitempty" doc:"Interfaces that break their callers or mislead them"`
	Test            *bool `json:"test,omitempty" doc:"Tests that prove nothing"`
	Maintainability *bool `json:"maintainability,omitempty" doc:"Code that is hard to change"`
	Docs            *bool `json:"docs,omitempty" doc:"Comments and documents that say what is not so"`
	Rule            *bool `json:"rule,omitempty" doc:"Violations of rules; mandatory rules apply anyway"`
	Secret          *bool `json:"secret,omitempty" doc:"Secrets in the code; findings of the deterministic check are published anyway"`
	StaticAnalysis  *bool `json:"static-analysis,omitempty" doc:"Findings of analysers"`
}

// CheckUpdate is the check of a [RepositoryPolicyUpdate].
type CheckUpdate struct {
	FailOn     patch.Nullable[string] `json:"failOn,omitzero" enum:"critical,high,medium,low,info" doc:"The check fails on findings of this severity and above; null: only on secrets and mandatory rules"`
	Unreviewed *UnreviewedUpdate      `json:"unreviewed,omitempty" doc:"The check of a head without a complete review"`
}

// endValue is the value of an end in [UnreviewedUpdate]; null leaves the end to the preset.
type endValue = patch.Nullable[string]

// UnreviewedUpdate is the check of heads without a complete review, of a [CheckUpdate]. docs/checks.md describes the ends.
type UnreviewedUpdate struct {
	Preset     *string  `json:"preset,omitempty" enum:"default,strict" doc:"Ends without a complete review: as usual, or all fail"`
	Failed     endValue `json:"failed,omitzero" enum:"pass,neutral,fail" doc:"After a failed review; null: by the preset"`
	Incomplete endValue `json:"incomplete,omitzero" enum:"pass,neutral,fail" doc:"No model read a part, or all; null: by the preset"`
	Budget     endValue `json:"budget,omitzero" enum:"pass,neutral,fail" doc:"The budget was used up; null: by the preset"`
	Skipped    endValue `json:"skipped,omitzero" enum:"pass,neutral,fail" doc:"Not reviewed by policy; null: by the preset"`
	Outsider   endValue `json:"outsider,omitzero" enum:"pass,neutral,fail" doc:"From outside, unread; null: by the preset"`
	Cancelled  endValue `json:"cancelled,omitzero" enum:"pass,neutral,fail" doc:"Cancelled or rejected; null: by the preset"`
}

// ChecksUpdate are the deterministic checks of a [RepositoryPolicyUpdate].
type ChecksUpdate struct {
	Secrets        *bool `json:"secrets,omitempty" doc:"Look for secrets"`
	StaticAnalysis *bool `json:"staticAnalysis,omitempty" doc:"Look for what analysers find"`
	// Analysers are names of the process configuration.
	Analysers []string `json:"analysers,omitzero" maxItems:"20" example:"[\"shellcheck\"]" doc:"Analysers that run as programs"`
}

// Validate adds the errors that the schema cannot express.
func (in RepositoryPolicyUpdate) Validate(c *field.Check) {
	if t := in.Triggers; t != nil {
		names(c, "/triggers/labels", t.Labels)
		names(c, "/triggers/excludedAuthors", t.ExcludedAuthors)
		c.Distinct("/triggers/targetBranches", t.TargetBranches)
		for i, b := range t.TargetBranches {
			ok := b != "" && len(b) <= 200 && field.Plain(b) && !strings.ContainsAny(b, " ") && glob.Valid(b)
			c.That(ok, field.At("/triggers/targetBranches", i), "must be a pattern of branch names, such as release/*, with at most 64 "+
				"alternatives in braces")
		}
	}
	if p := in.Paths; p != nil {
		for pointer, globs := range map[string][]string{"/paths/include": p.Include, "/paths/exclude": p.Exclude} {
			c.Globs(pointer, globs)
			c.Distinct(pointer, globs)
		}
	}
	if d := in.Deterministic; d != nil {
		c.Distinct("/deterministic/analysers", d.Analysers)
		for i, name := range d.Analysers {
			c.That(analyserName.MatchString(name), field.At("/deterministic/analysers", i),
				"must be 1 to 40 of a-z, 0-9 and -, with no - at either end")
		}
	}
	names(c, "/triageLabelNames", in.TriageLabelNames)
	for i, l := range in.TriageLabelNames {
		c.That(utf8.RuneCountInString(l) <= maxLabelName, field.At("/triageLabelNames", i), "must have at most 50 characters")
	}
	if in.Language != nil {
		c.Language("/language", *in.Language)
	}
}

// analyserName matches the names of analysers in the process configuration.
var analyserName = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$`)

// IsAnalyserName reports whether a text can be the name of an analyser in the process configuration.
func IsAnalyserName(name string) bool { return analyserName.MatchString(name) }

// maxLabelName is the maximum length of a label in characters (GitHub: 422 "is too long (maximum is 50
// characters)").
const maxLabelName = 50

// names checks a list of names, which must differ in more than letter case.
func names(c *field.Check, pointer string, list []string) {
	lower := make([]string, len(list))
	for i, v := range list {
		c.That(len(v) <= 100, field.At(pointer, i), "must have at most 100 bytes")
		lower[i] = strings.ToLower(v)
	}
	c.Lines(pointer, list)
	c.Distinct(pointer, lower)
}
