// Package suggestions shows that a click applies exactly the published suggestion. A scripted model
// proposes changes to the seeded cases and to files that are hard to change, the engine and the
// renderer turn them into comments, and the simulated host applies the suggestions from the comments'
// Markdown. The result is byte for byte what the engine applied in memory and what "git apply" makes
// of a patch of the same lines, and Go files parse. The package also damages the form of suggestions
// in four languages in many ways: the parser of the language must accept every file with an offered
// one.
package suggestions
