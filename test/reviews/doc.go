// Package reviews keeps ten reviews as people get them: the real engine and renderer over small
// changes, with a model that answers by a script, in three languages.
//
// They are for reading: after a change of the words or the form of a review, read testdata as the
// author of a pull request would. To write them again:
//
//	go test ./test/reviews -update
package reviews
