package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/assay-dev/assay/sim/model"
)

// manner is how a model reports one defect from review to review.
type manner string

const (
	sameWords  manner = "same words"  // always the same, at the same lines
	otherWords manner = "other words" // in other words each time
	jitter     manner = "jitter"      // with neighbouring keys, wrong line numbers, random doubt and severity, or silent
)

var manners = []manner{sameWords, otherWords, jitter}

// voice is how a model reports a defect.
type voice struct {
	words int
	key   string // "" for the shape's key
	wide  bool   // quotes one more line

	// These change with each review.
	off      int    // error of its line numbers
	margin   bool   // copies the line numbers of the margin into the quote
	silent   bool   // does not report the defect
	severity string // "" for high
	doubt    float64
}

// next returns the voice of the next review. A model with jitter may report a known defect with a lower
// severity, or not at all.
func (m manner) next(v voice, s shape, rng *rand.Rand, known bool) voice {
	switch m {
	case otherWords:
		v.words = (v.words + 1 + rng.IntN(len(s.says)-1)) % len(s.says)
	case jitter:
		if v.key == "" || v.key == s.neighbour {
			v.key = []string{"", s.neighbour}[rng.IntN(2)]
		}
		v.off, v.margin, v.silent = rng.IntN(11)-5, rng.IntN(3) == 0, known && rng.IntN(4) == 0
		v.severity, v.doubt = []string{"high", "critical"}[rng.IntN(2)], 0.2*rng.Float64()
		if known {
			v.severity, v.doubt = []string{"low", "medium", "high", "critical"}[rng.IntN(4)], 0.9*rng.Float64()
		}
	}
	return v
}

// fits reports whether a step goes with the manner: steps that change the voice need a manner with
// jitter.
func (m manner) fits(s step) bool { return m == jitter || !s.speech }

// title returns the model's title for a defect at a place.
func (v voice) title(p plant, at place) string {
	return strings.NewReplacer("{V}", p.v, "{F}", at.block).Replace(shapes[p.shape].says[v.words])
}

// finding returns the model's finding about a defect at a place of a file.
func (v voice) finding(p plant, at place, file string) model.Finding {
	key := v.key
	if key == "" {
		key = shapes[p.shape].key
	}
	severity := v.severity
	if severity == "" {
		severity = "high"
	}
	title := v.title(p, at)
	f := model.Finding{Path: at.path, StartContains: at.lines[0], LineContains: at.lines[len(at.lines)-1], Title: title, Explanation: title + ": nothing guards against it.",
		Trigger: "an empty list", Category: "bug", RuleKey: key, Severity: severity, SelfDoubt: v.doubt, Off: v.off}
	lines := strings.Split(file, "\n")
	last := at.last
	if v.wide {
		last++
		f.LineContains = lines[last-1]
	}
	if v.margin {
		for n := at.first; n <= last; n++ {
			f.Quote += fmt.Sprintf("%5d + %s\n", n, lines[n-1])
		}
	}
	return f
}
