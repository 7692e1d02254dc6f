package linear

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/tracker/trackertest"
	"github.com/assay-dev/assay/sim/tracker/simapi"
)

func suite(doubts ...simapi.Doubt) trackertest.Suite {
	return trackertest.Suite{Dialect: simapi.Linear, Doubts: doubts, New: New, AsksLinks: true, Foreign: []string{"4711", "PAY-0", "PAY-01", "PAY", "PAY-1-2"},
		Text: func(paragraph, one, two, code string) string {
			return strings.Join([]string{paragraph, "", "- " + one, "- " + two, "", "```", code, "```"}, "\n")
		}}
}

func TestAgainstTheSimulator(t *testing.T) { trackertest.Run(t, suite()) }

func TestLimitWith400(t *testing.T) { trackertest.Run(t, suite(simapi.LimitIs400)) }

func TestOldCommentsFirst(t *testing.T) { trackertest.Run(t, suite(simapi.OldCommentsFirst)) }
