package around

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

func TestNamesThatLinesUse(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]Use{
		"self.close()":         {{"close", "self", true}},
		"self.conn.close()":    {{"conn", "self", false}, {"close", "conn", true}},
		"get().send(x)":        {{"get", "", true}, {"send", unnamed, true}, {"x", "", false}},
		"list[0].name":         {{"list", "", false}, {"name", unnamed, false}},
		"os.path.join(a)":      {{"path", "os", false}, {"join", "path", true}, {"a", "", false}},
		"a + b":                {{"a", "", false}, {"b", "", false}},
		"std::sort(v)":         {{"sort", "std", true}, {"v", "", false}},
		"p->next->free()":      {{"next", "p", false}, {"free", "next", true}},
		"return x()?.y":        {{"return", "", false}, {"x", "", true}, {"y", unnamed, false}},
		"":                     nil,
		"...rest":              {{"rest", unnamed, false}},
		"for i in range(0..n)": {{"for", "", false}, {"i", "", false}, {"in", "", false}, {"range", "", true}, {"n", unnamed, false}},
	} {
		testkit.Equal(t, line, fmt.Sprint(UsesIn(line)), fmt.Sprint(want))
	}
}
