"""What Tendril is measured against, written for the purpose: never a part of the product.

* ``rigid``, ``rows``: rigid bodies whose joints are solved one after the other. Scalar constraints follow Müller,
  Macklin, Chentanez, Jeschke, Kim: Detailed Rigid Body Simulation with Extended Position Based Dynamics, SCA 2020;
  vector constraints, row by row or in blocks, follow section 5 and Algorithm 1 of the paper.
* ``rod_sweeps``: the elastic constraints of a rod solved one after the other (section 8.2 of the paper).
"""
