// Package edits simulates pull requests made of this repository's own files: defects are planted on
// their lines, and each push is one random edit for which the test knows whether the lines of a defect
// still exist. A scripted model reports the lines that it is shown, in one of three manners
// ([manner]), and answers questions truthfully.
//
// Reviews run in the test's process, with the store and a code host in memory (package reviewtest), on
// both engines. After each push no defect may be reported again, called resolved although it exists,
// or be swallowed by another finding, and no run may fail.
//
// "make test" runs a few edits of seed 1. "make histories" runs 2,000 on each storage and prints the
// table of docs/reliability/histories.md. To repeat one pull request:
//
//	ASSAY_EDITS_SEED=<seed> ASSAY_EDITS_COUNT=1 go test ./test/edits
package edits
