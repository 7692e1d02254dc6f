/** How often parts of the page are read again while a review runs, in ms. */
export const following = 5000;
