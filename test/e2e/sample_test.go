package e2e

import (
	"strings"

	"github.com/assay-dev/assay/sim/model"
	"github.com/assay-dev/assay/sim/model/script"
)

// baseFiles is the repository before any change.
func baseFiles() map[string]string {
	return map[string]string{
		"README.md":     "# Shop\n",
		"go.mod":        "module example.com/shop\n\ngo 1.26\n",
		"price/sum.go":  "package price\n\n// Sum adds prices.\nfunc Sum(prices []int) int {\n\ttotal := 0\n\tfor _, p := range prices {\n\t\ttotal += p\n\t}\n\treturn total\n}\n",
		"price/note.go": "package price\n\n// Note says what prices are.\nconst Note = \"in cents\"\n",
	}
}

// buggy adds a function that divides by zero for an empty list. The scripted model reports it.
func buggy() map[string]string {
	return map[string]string{"price/mean.go": "package price\n\n// Mean is the average price.\nfunc Mean(prices []int) int {\n\treturn Sum(prices) / len(prices)\n}\n"}
}

// fixed is the same file without the fault, and without its line.
func fixed() map[string]string {
	return map[string]string{"price/mean.go": "package price\n\n// Mean is the average price, 0 for none.\nfunc Mean(prices []int) int {\n\tn := max(len(prices), 1)\n\treturn Sum(prices) / n\n}\n"}
}

// leaky adds a file with a secret, assembled here so that it is not in the source.
func leaky() map[string]string {
	key := "AKIA" + "Z7QK" + "4MX2" + "WTPL" + "N6RB"
	return map[string]string{"config/keys.go": "package config\n\nconst accessKey = \"" + key + "\"\n"}
}

// clean is a change without defects.
func clean() map[string]string {
	return map[string]string{"price/max.go": "package price\n\n// Max is the largest price, 0 for none.\nfunc Max(prices []int) int {\n\tlargest := 0\n\tfor _, p := range prices {\n\t\tlargest = max(largest, p)\n\t}\n\treturn largest\n}\n"}
}

const bugTitle = "Mean divides by zero for an empty list"

func plantedRules() []model.Rule { return script.ForPlanted([]script.Planted{plantedBug()}) }

// plantedBug is the bug of [buggy].
func plantedBug() script.Planted {
	return script.Planted{
		Path: "price/mean.go", LineContains: "return Sum(prices) / len(prices)", Title: bugTitle,
		Explanation: "With no prices the length is 0, and an integer division by zero panics.", Trigger: "Mean(nil) panics.",
		Category: "bug", RuleKey: "division-by-zero", Severity: "high",
		Fix: script.Fix{New: "\treturn Sum(prices) / max(len(prices), 1)"},
	}
}

// lines counts the visible lines: those with text that are not a hidden mark.
func lines(body string) (n int) {
	for line := range strings.SplitSeq(body, "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "<!--") {
			n++
		}
	}
	return n
}
