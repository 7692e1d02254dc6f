// Package sarif reads and writes SARIF 2.1.0, the format in which static analysers exchange their results
// (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
//
// The reader streams: it takes documents of real tools, keeps a bounded part of them, and counts the rest. It opens no
// file and follows no address. The meaning of a result for a change lives in package sast.
package sarif

import (
	"errors"
	"time"
)

// Limits bound what [Read] takes and keeps. The zero value of a field means its default.
type Limits struct {
	Bytes   int64 // of the unpacked document; 32 MiB
	Depth   int   // of nested values; 64
	Runs    int   // that are kept; 20
	Results int   // that are kept, of all runs together; 25,000
	Rules   int   // that are kept, of one run; 25,000
	Steps   int   // of a code flow; 20
}

// DefaultLimits returns the limits that hold for documents of strangers. Those of runs, results and rules are the ones of GitHub
// code scanning.
func DefaultLimits() Limits {
	return Limits{Bytes: 32 << 20, Depth: 64, Runs: 20, Results: 25_000, Rules: 25_000, Steps: 20}
}

// Bounds of texts, in bytes, and of lists that every result has (design choices).
const (
	maxMessage = 2000
	maxName    = 200
	maxURI     = 2000
	maxNotes   = 20
	maxPrints  = 10
)

// The errors of [Read]. Each is wrapped in a sentence about the document.
var (
	ErrTooLarge = errors.New("the SARIF document is larger than allowed")
	ErrInvalid  = errors.New("the document is not SARIF 2.1.0")
)

// BrokenRun is why a run of [Document.Broken] is not used, in words for people.
const BrokenRun = "the run is not an object with a list of results"

// UnitRuns is the unit of a note that counts runs of a document.
const UnitRuns = "runs"

// Document is a SARIF log.
type Document struct {
	Runs    []Run
	CutRuns int // runs beyond the limit
	// Broken are the positions of runs that do not follow the format, counted from 0. They count towards the limit of runs.
	Broken []int
}

// Run is one run of one tool.
type Run struct {
	Tool       string // the driver's name; "" if the document does not name it
	Version    string // "" if unknown
	Rules      map[string]Rule
	Results    []Result
	Successful bool          // no invocation says that the tool failed
	Duration   time.Duration // between the first start and the last end; 0 if unknown
	Notes      []string      // warnings and errors that the tool reports about itself, at most 20
	CutNotes   int           // further ones
	CutResults int           // results beyond the limit
	CutRules   int           // rules beyond the limit
	Unreadable int           // results that are not objects as the format wants them
	Passed     int           // results that report no problem: of another kind than fail, open or review, or absent now
}

// The levels of results.
const (
	LevelError   = "error"
	LevelWarning = "warning"
	LevelNote    = "note"
	LevelNone    = "none"
)

// Rule describes the kind of a result.
type Rule struct {
	ID       string
	Name     string
	Short    string // one sentence
	Help     string // an https address; "" without one
	Level    string // of its results that have no level; "" without one
	Security float64
	Tags     []string // at most 10

	// HasSecurity reports whether Security is set: the property security-severity, from 0 to 10.
	HasSecurity bool
}

// Result is a problem that a tool reports.
type Result struct {
	RuleID    string // "" if the document names no rule
	Level     string // error, warning, note or none
	Message   string
	Path      string // relative to the root, or absolute; slashes separate its parts; "" without a file
	Outside   bool   // the path leaves the root, or is not the path of a file
	StartLine int    // 1-based; 0 without a line
	EndLine   int    // inclusive; at least StartLine

	Fingerprints map[string]string // partial ones and whole ones, at most 10
	Suppressed   bool              // the tool or the team has accepted it
	Unchanged    bool              // the tool compared with a base, which has the result too
	Flow         []Step            // of its first code flow
	CutSteps     int               // steps beyond the limit
}

// Step is a place of a code flow.
type Step struct {
	Path      string
	Outside   bool
	StartLine int
	Message   string
}
