package testkit

import (
	"os"
	"testing"
)

func TestCommonLastsLongerThanTheTestThatMadeIt(t *testing.T) {
	type made struct {
		process *Process
		dir     string
	}
	var common Common[made]
	get := func(t *testing.T) made {
		return common.Get(t, func(t testing.TB) made {
			p := Start(t, Command{Path: "/bin/sh", Args: []string{"-c", "echo up; exec sleep 1000"}})
			p.WaitLine(wait, "up")
			return made{p, t.TempDir()}
		})
	}
	var first made
	t.Run("first", func(t *testing.T) { first = get(t) })
	t.Run("second", func(t *testing.T) {
		if second := get(t); second != first {
			t.Errorf("the second test got %v, want what the first has made, %v", second, first)
		}
	})
	if !first.process.Running() {
		t.Error("the process ended with the test that started it")
	}
	if _, err := os.Stat(first.dir); err != nil {
		t.Errorf("the folder is gone: %v", err)
	}
	first.process.Kill()
}
