package app

import (
	"testing"

	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/testkit"
)

// A secret is replaced although invisible characters interrupt it. Other text keeps its characters.
func TestTheRedactorFindsInterruptedSecrets(t *testing.T) {
	t.Parallel()
	checker, err := check.New()
	testkit.OK(t, err)
	redact := newRedactor(checker.Scanner)
	for text, want := range map[string]string{
		"the key AKIA" + "QYLPMN5HFIQR7XYA is for tests":                                              "the key [redacted] is for tests",
		"the key AKIA\u200bQYLPMN5HF\u2060IQR7XYA is for tests":                                       "the key [redacted] is for tests",
		"AKIA" + "QYLPMN5HFIQR7XYA and AKIA\rQYLPMN5HFIQR7XYB":                                        "[redacted] and [redacted]",
		"\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001F468\u200d\U0001F469\u200d\U0001F467": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \U0001F468\u200d\U0001F469\u200d\U0001F467",
	} {
		testkit.Equal(t, text, redact(text), want)
	}
}
