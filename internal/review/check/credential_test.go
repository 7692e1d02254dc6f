package check

import (
	"fmt"
	"strings"
	"testing"
)

// Two rules can report the same value on a line. The more severe finding stays; if both are equally severe,
// the more certain one.
func TestOneFindingForOneCredential(t *testing.T) {
	t.Parallel()
	weak, strong := "kx93mq"+"z47", "kT9"+"!vq2Lw#xP4"
	for name, tt := range map[string]struct{ before, after, want string }{
		"a doubtful secret in the image":      {"", "FROM a:1\nENV DB_PASSWORD=" + weak + "\n", "assay/docker-secret@2-2/line/high"},
		"a doubtful secret in an argument":    {"", "FROM a:1\nARG DB_PASSWORD=" + weak + "\n", "assay/docker-secret@2-2/line/medium"},
		"a doubtful secret of another stage":  {"", "FROM a:1 AS b\nENV DB_PASSWORD=" + weak + "\nFROM a:1\n", "assay/password@2-2/line/low"},
		"a doubtful secret of a build record": {"", "FROM a:1 AS b\nARG DB_PASSWORD=" + weak + "\nFROM a:1\n", "assay/password@2-2/line/low"},
		"a certain secret":                    {"", "FROM a:1\nENV DB_PASSWORD=" + strong + "\n", "assay/password@2-2/line/high"},
		"another value of a changed name": {"FROM a:1\nENV DB_PASSWORD=qz38rvt51\n", "FROM a:1\nENV DB_PASSWORD=" + weak + "\n",
			"assay/password@2-2/line/low"},
		"two values on one line": {"", "FROM a:1\nENV DB_PASSWORD=" + strong + " APP_PASSWORD=wonderfulSummer\n",
			"assay/password@2-2/line/high assay/docker-secret@2-2/line/high"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := summary(run(t, "Dockerfile", tt.before, tt.after)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A place that a rule for secrets covers does not take along the further places of the fifth finding.
func TestCoveredPlaceLeavesFurtherPlaces(t *testing.T) {
	t.Parallel()
	text := "FROM a:1\n"
	for i := range 4 {
		text += fmt.Sprintf("ENV APP%d_PASSWORD=wonderfulSummer\n", i)
	}
	text += "ENV DB_PASSWORD=" + "kT9" + "!vq2Lw#xP4\nENV LAST_PASSWORD=wonderfulSummer\n"
	if got := summary(run(t, "Dockerfile", "", text)); !strings.Contains(got, "docker-secret@7") || !strings.Contains(got, "assay/password@6") {
		t.Error(got)
	}
}

// The most severe findings of a lock file are reported if there are too many, and the file is named.
func TestMostSevereFindingsOfALockFile(t *testing.T) {
	t.Parallel()
	before := "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\n" +
		"checksum = \"" + strings.Repeat("ab", 32) + "\"\n"
	after := before
	for i := range maxLockFindings + 5 {
		after += fmt.Sprintf("\n[[package]]\nname = \"p%d\"\nversion = \"1.0.0\"\nsource = \"git+https://git%d.example.org/p#%s\"\n", i, i, strings.Repeat("0", 40))
	}
	after += "\n[[package]]\nname = \"z\"\nversion = \"1.0.0\"\nsource = \"registry+http://plain.example.org/index\"\nchecksum = \"" + strings.Repeat("cd", 32) + "\"\n"
	res := run(t, "Cargo.lock", before, after)
	if got := summary(res); len(res.Findings) != maxLockFindings || !strings.Contains(got, "lock-plain") {
		t.Errorf("%d: %s", len(res.Findings), got)
	}
	if res.Unread["Cargo.lock"] != WhyCut {
		t.Errorf("%v", res.Unread)
	}
}
