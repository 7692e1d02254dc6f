// Package verdict is the end of a review in a form for programs: one line of JSON in a fenced block.
//
// It holds numbers, fixed words and identifiers of ours, and no text from outside. Deciding the state of a
// review does not live here.
package verdict

import (
	"encoding/json"
	"regexp"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// Version is the version of the line. Within a version fields may be added, but not removed or changed in
// meaning.
const Version = 1

// State is the state of a review.
type State string

// The states of a review.
const (
	Findings   State = "findings"   // something is open
	Incomplete State = "incomplete" // nothing is open, and a part was not looked at
	Failed     State = "failed"     // the review could not be made
	Skipped    State = "skipped"    // no review was made or shown: by policy, by a person, or because of a newer head
	Clean      State = "clean"      // nothing is open, and all was looked at
)

// Counts are numbers of open findings by severity.
type Counts struct {
	Critical int `json:"critical"`
	High     int `json:"high"`
	Medium   int `json:"medium"`
	Low      int `json:"low"`
	Info     int `json:"info"`
}

// countOf returns the numbers of findings by severity.
func countOf(findings []domain.Finding) (c Counts) {
	for _, f := range findings {
		switch f.Severity {
		case domain.Critical:
			c.Critical++
		case domain.High:
			c.High++
		case domain.Medium:
			c.Medium++
		case domain.Low:
			c.Low++
		default:
			c.Info++
		}
	}
	return c
}

// Left counts the findings that a decision leaves out of [Counts], by the reason. It counts dismissed and suppressed findings of the
// pull request also if the run did not report them again.
type Left struct {
	Dismissed   int `json:"dismissed"`   // by a person
	Suppressed  int `json:"suppressed"`  // in the repository
	BelowLimit  int `json:"belowLimit"`  // below what the policy wants to see: severity, confidence, category or profile
	LaterRounds int `json:"laterRounds"` // in the summary without a comment, because a later round found it
}

// Verdict is the end of a review.
type Verdict struct {
	Version  int    `json:"version"`
	State    State  `json:"state"`
	Complete bool   `json:"complete"` // all that should be looked at was looked at
	Findings Counts `json:"findings"`
	Head     string `json:"head,omitempty"`  // the reviewed commit; "" for a working tree
	Run      string `json:"run,omitempty"`   // id of the run; "" for a local review
	Round    int    `json:"round,omitempty"` // the number of this review of the pull request; 0 for a local review
	Left     Left   `json:"left"`
}

// Reviewed returns the verdict of a review that was made. open are the findings that it shows, without those that left counts.
func Reviewed(open []domain.Finding, complete bool, left Left) Verdict {
	v := Verdict{State: Clean, Complete: complete, Findings: countOf(open), Left: left}
	switch {
	case len(open) > 0:
		v.State = Findings
	case !complete:
		v.State = Incomplete
	}
	return v
}

// Forms of the values that are texts.
var (
	isHead = regexp.MustCompile(`^[0-9a-f]{7,64}$`)
	isRun  = regexp.MustCompile(`^[a-z]{1,8}_[0-9a-zA-Z]{1,40}$`)
)

// The lines around the JSON.
const (
	opening = "```assay-verdict"
	closing = "```"
)

// line returns the JSON. A head or a run in another form than ours is left out.
func (v Verdict) line() string {
	v.Version = Version
	if !isHead.MatchString(v.Head) {
		v.Head = ""
	}
	if !isRun.MatchString(v.Run) {
		v.Run = ""
	}
	raw, err := json.Marshal(v)
	if err != nil { // numbers and strings can be written
		return ""
	}
	return string(raw)
}

// Text returns the block for a text on a host.
func (v Verdict) Text() markdown.Text { return markdown.Record("assay-verdict", v.line()) }

// Block returns the block as three lines of plain text, with a line break at the end.
func (v Verdict) Block() string { return opening + "\n" + v.line() + "\n" + closing + "\n" }
