package domain

import (
	"slices"
	"strings"
)

// maxCodePrints is the maximum number of earlier fingerprints of the code of a finding.
const maxCodePrints = 20

// KeepCodePrints adds the fingerprints that an earlier version of the finding had. The caller has checked that both quote
// the same code.
func (f *Finding) KeepCodePrints(earlier Finding) {
	var prints []string
	for _, p := range slices.Concat(earlier.CodePrints, []string{earlier.Fingerprints.Exact}, f.CodePrints) {
		if p != "" && p != f.Fingerprints.Exact && !slices.Contains(prints, p) {
			prints = append(prints, p)
		}
	}
	f.CodePrints = prints[max(len(prints)-maxCodePrints, 0):]
}

// SameSecret reports whether both findings are about a secret with the same value. It returns false if the value of one of
// them is unknown, or if they have no key in common.
func (f Finding) SameSecret(o Finding) bool {
	return slices.ContainsFunc(f.SecretDigests, func(d string) bool { return slices.Contains(o.SecretDigests, d) })
}

// HasCode reports whether an exact fingerprint is one of the code that the finding quotes now.
func (f Finding) HasCode(exact string) bool {
	return exact != "" && slices.Contains(f.ListCodePrints(), PrintOfCode(exact))
}

// ListCodePrints lists the fingerprints of the code that the finding quotes now, the present one last, as [PrintOfCode] returns them.
func (f Finding) ListCodePrints() []string {
	var out []string
	for _, p := range append(slices.Clone(f.CodePrints), f.Fingerprints.Exact) {
		if p = PrintOfCode(p); p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// PrintOfCode returns an exact fingerprint without the id of a finding. The fingerprint of a second row of a pull request with equal
// code ends with such an id.
func PrintOfCode(exact string) string {
	code, _, _ := strings.Cut(exact, ":fnd_")
	return code
}

// HasDistinctPrint reports whether the exact fingerprint tells the finding from others with its rule in its file and symbol. It does
// not for findings of models that quote no code.
func (f Finding) HasDistinctPrint() bool {
	return f.HasPrintOfPlace() || f.Anchor.Quote != ""
}

// HasPrintOfPlace reports whether the exact fingerprint tells the finding from others with its rule and equal code. It does not for
// findings of models outside the diff, because equal lines are not numbered there.
func (f Finding) HasPrintOfPlace() bool {
	return f.Origin.Deterministic() || f.Anchor.Level == AnchorLine
}

// Named reports whether an exact fingerprint identifies the finding, with its present code or with earlier code.
func (f Finding) Named(exact string) bool {
	return exact != "" && (exact == f.Fingerprints.Exact || slices.Contains(f.Names, exact))
}
