// Package edits lives through pull requests that are made of this repository's own
// files: defects are planted on their lines, and each push is one random edit of
// which it is known whether the lines of a defect still stand. A scripted model
// reports the lines that it is shown, in one of three manners of speaking ([manner]),
// and answers what it is asked by the truth.
//
// Reviews run in the test's process, through the store and a code host in memory
// (package reviewtest), on both engines. After each push nothing may be said again,
// called resolved while it stands, swallowed by another finding, or fail.
//
// "make test" lives through a few edits of seed 1, "make histories" through 2,000
// on each storage, and prints the table of docs/reliability/histories.md. To go through one
// pull request again:
//
//	ASSAY_EDITS_SEED=<seed> ASSAY_EDITS_COUNT=1 go test ./test/edits
package edits
