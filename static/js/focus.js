// focus
