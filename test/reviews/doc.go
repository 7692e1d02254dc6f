// Package reviews keeps ten reviews as people get them: the real engine and renderer
// over small changes, with a model that answers by a script, in three languages.
//
// They are for reading: whoever changes words or the form of a review looks at
// testdata, and asks whether he would be glad to get it. To write them again:
//
//	go test ./test/reviews -update
package reviews
