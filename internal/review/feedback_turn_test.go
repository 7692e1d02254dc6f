package review

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// Each person is asked for within as many readings as their group needs, however many people the other group has.
func TestEveryPersonHasATurn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ known, others, readings int }{
		"many of both":         {120, 170, 4},
		"many known, a crowd":  {260, 10_000, 6},
		"many known":           {260, 0, 3},
		"few known, a crowd":   {3, 250, 3},
		"few of both":          {40, 40, 1},
		"as many as one takes": {50, 50, 1},
	} {
		f, heard := &feedback{}, map[domain.HostID]bool{}
		for range c.readings {
			var people []reacting
			for i := range c.known + c.others { // the ids of known people are among those of the others
				id := domain.HostID(fmt.Sprintf("%05d", i*7919%99_991))
				people = append(people, reacting{Sender: codehost.Sender{ID: id}, known: i < c.known})
			}
			asked, rest, after := f.divideByTurn(people)
			if len(asked) > maxRoles || len(asked)+len(rest) != len(people) {
				t.Fatalf("%s: %d asked, %d left", name, len(asked), len(rest))
			}
			for _, p := range asked {
				heard[p.ID] = true
			}
			if c.known+c.others <= maxRoles && after.Known+after.Others != "" {
				t.Errorf("%s: the next reading does not begin with the first", name)
			}
			f.row.FeedbackAfter = after
		}
		for i := range c.known {
			if id := domain.HostID(fmt.Sprintf("%05d", i*7919%99_991)); !heard[id] {
				t.Fatalf("%s: known person %s is never asked for", name, id)
			}
		}
		if c.others <= 250 && len(heard) != c.known+c.others {
			t.Errorf("%s: %d of %d people were asked for", name, len(heard), c.known+c.others)
		}
	}
}
