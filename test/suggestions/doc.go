// Package suggestions shows that a suggestion which is published is the one that a
// click applies: a scripted model proposes changes to the seeded cases and to files
// that are hard to change, the engine and the renderer make comments of them, and the
// simulated host applies those from their Markdown. The result is byte for byte what
// the engine applied in memory and what "git apply" makes of a patch of the same
// lines, and Go files parse. It also spoils the form of suggestions in four languages in
// many ways: the parser of the language reads every file with one that is offered.
package suggestions
